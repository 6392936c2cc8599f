import { createHash } from "node:crypto";
import { type AssistantMessage, type Content, type Message, type SentForm, textPart } from "#conversation";
import type { Target } from "#model";

/**
 * How the messages of a session look in requests: in the form they were first sent with, which is stored with
 * them, since taking it away later would change the beginning of every following request. Reasoning that one model
 * signed or encrypted is left out of requests to another, which would refuse it.
 *
 * Messages are immutable: each has one view, so that whatever is remembered by identity stays valid.
 */
export class SentMessages {
  readonly #views = new WeakMap<Message, Message>();
  readonly #foreign = new WeakMap<Message, Message>();

  /** The messages as this target gets them; without one, as their own producers do. */
  view(messages: readonly Message[], target?: Target): readonly Message[] {
    const key = target === undefined ? undefined : modelKey(target);
    return mapped(messages, (message) => this.#forModel(this.#sent(message), key));
  }

  /** What context engines work on: results and calls as short as they are sent, people's words as they wrote them. */
  short(messages: readonly Message[]): readonly Message[] {
    return mapped(messages, (message) => (message.role === "user" ? message : this.#sent(message)));
  }

  #sent(message: Message): Message {
    if (message.sent === undefined) return message;
    const known = this.#views.get(message);
    if (known !== undefined) return known;
    const view = asSent(message);
    this.#views.set(message, view);
    return view;
  }

  #forModel(message: Message, key: string | undefined): Message {
    if (key === undefined || message.role !== "assistant") return message;
    const by = message.origin?.by;
    if (by === undefined || by === key || !hasOpaqueReasoning(message)) return message;
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

/** Names a model where it can be asked, without saying where that is. */
export function modelKey({ provider, model, baseUrl }: Target): string {
  const location = createHash("sha256").update(baseUrl).digest("base64url").slice(0, 8);
  return `${provider}/${model}@${location}`;
}

function asSent({ sent, ...message }: Message): Message {
  if (message.role === "assistant") return sentReply(message, sent);
  return { ...message, content: withSuffix(sent?.content ?? message.content, sent?.suffix) };
}

function sentReply(message: AssistantMessage, sent: SentForm | undefined): Message {
  const calls = sent?.tool_calls === undefined ? message : { ...message, tool_calls: sent.tool_calls };
  if (typeof sent?.content !== "string") return calls;
  // The exact items of the Responses wire would be sent in place of the text.
  const { codex_message_items: _items, ...rest } = calls;
  return { ...rest, content: sent.content };
}

/** The list itself when nothing in it changes. */
function mapped(messages: readonly Message[], view: (message: Message) => Message): readonly Message[] {
  let hasChanged = false;
  const next = messages.map((message) => {
    const seen = view(message);
    hasChanged ||= seen !== message;
    return seen;
  });
  return hasChanged ? next : messages;
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
