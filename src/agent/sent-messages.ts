import { type Content, type Message, textPart } from "#conversation";

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
 * following request. It is never stored.
 */
export class SentMessages {
  readonly #byUid = new Map<string, SentWith>();
  /** Messages are immutable: one view each, so that whatever is remembered by identity stays valid. */
  readonly #views = new WeakMap<Message, Message>();

  set(uid: string, sent: SentWith): void {
    this.#byUid.set(uid, { ...this.#byUid.get(uid), ...sent });
  }

  view(messages: readonly Message[]): readonly Message[] {
    return this.#byUid.size === 0 ? messages : messages.map((message) => this.#viewOf(message));
  }

  #viewOf(message: Message): Message {
    const sent = message.uid === undefined ? undefined : this.#byUid.get(message.uid);
    if (sent === undefined || message.role !== "user") return message;
    const known = this.#views.get(message);
    if (known !== undefined) return known;
    const view = { ...message, content: withSuffix(sent.content ?? message.content, sent.suffix) };
    this.#views.set(message, view);
    return view;
  }
}

function withSuffix(content: Content, suffix: string | undefined): Content {
  if (suffix === undefined || suffix === "") return content;
  return typeof content === "string" ? `${content}\n\n${suffix}` : [...content, textPart(suffix)];
}
