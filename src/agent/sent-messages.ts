import { type AssistantMessage, type Content, type Message, textPart } from "#conversation";
import type { Target } from "#model";

/** What goes out with a message but does not belong to it. */
export interface SentWith {
  /** Takes the place of the content (a skill's whole text instead of the slash command). */
  readonly content?: Content;
  /** Follows the content (recalled memory, words of plugins). */
  readonly suffix?: string;
}

/**
 * How the messages of a session look in requests. What was once sent with a message is sent with it for
 * as long as this process knows the session: taking it away later would change the beginning of every
 * following request. Reasoning that one model signed or encrypted is left out of requests to another, which
 * would refuse it. None of this is stored.
 */
export class SentMessages {
  readonly #byUid = new Map<string, SentWith>();
  readonly #producers = new Map<string, string>();
  readonly #producerKeys = new Set<string>();
  /** Messages are immutable: one view each, so that whatever is remembered by identity stays valid. */
  readonly #views = new WeakMap<Message, Message>();
  readonly #foreign = new WeakMap<Message, Message>();

  set(uid: string, sent: SentWith): void {
    this.#byUid.set(uid, { ...this.#byUid.get(uid), ...sent });
  }

  /** These messages are words of this target; what was read from a store counts as the words of whoever is asked. */
  producedBy(target: Target, messages: readonly Message[]): void {
    const key = producerKey(target);
    for (const message of messages) {
      if (message.role !== "assistant" || message.uid === undefined || !hasOpaqueReasoning(message)) continue;
      this.#producers.set(message.uid, key);
      this.#producerKeys.add(key);
    }
  }

  /** The messages as this target gets them; without one, as their own producers do. */
  view(messages: readonly Message[], target?: Target): readonly Message[] {
    const key = target === undefined ? "" : producerKey(target);
    const hasForeign = target !== undefined && [...this.#producerKeys].some((known) => known !== key);
    if (this.#byUid.size === 0 && !hasForeign) return messages;
    return messages.map((message) => {
      if (message.role === "user") return this.#userView(message);
      return hasForeign && message.role === "assistant" ? this.#assistantView(message, key) : message;
    });
  }

  #userView(message: Extract<Message, { role: "user" }>): Message {
    const sent = message.uid === undefined ? undefined : this.#byUid.get(message.uid);
    if (sent === undefined) return message;
    const known = this.#views.get(message);
    if (known !== undefined) return known;
    const view = { ...message, content: withSuffix(sent.content ?? message.content, sent.suffix) };
    this.#views.set(message, view);
    return view;
  }

  #assistantView(message: AssistantMessage, key: string): Message {
    const producer = this.#producers.get(message.uid ?? "");
    if (producer === undefined || producer === key) return message;
    const known = this.#foreign.get(message);
    if (known !== undefined) return known;
    const {
      reasoning_details: _signed,
      codex_reasoning_items: _encrypted,
      codex_message_items: _items,
      ...view
    } = message;
    this.#foreign.set(message, view);
    return view;
  }
}

function producerKey({ provider, model, baseUrl }: Target): string {
  return `${provider} ${model} ${baseUrl}`;
}

function hasOpaqueReasoning(message: AssistantMessage): boolean {
  return (
    message.reasoning_details !== undefined ||
    message.codex_reasoning_items !== undefined ||
    message.codex_message_items !== undefined
  );
}

function withSuffix(content: Content, suffix: string | undefined): Content {
  if (suffix === undefined || suffix === "") return content;
  return typeof content === "string" ? `${content}\n\n${suffix}` : [...content, textPart(suffix)];
}
