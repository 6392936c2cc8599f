import type { Message } from "#conversation";

/**
 * The whole messages behind those that pruning shortened in memory. What is stored, a session that compression
 * begins included, is always the whole message.
 */
export class Originals {
  readonly #byUid = new Map<string, Message>();

  /** Remembers what the shortened messages were; what was remembered before stays, since it is older and whole. */
  keep(before: readonly Message[], after: readonly Message[]): void {
    const now = new Map(after.map((message) => [message.uid, message]));
    for (const message of before) {
      const { uid } = message;
      if (uid === undefined || this.#byUid.has(uid)) continue;
      const later = now.get(uid);
      if (later !== undefined && later !== message && isShortened(message, later)) this.#byUid.set(uid, message);
    }
    for (const uid of this.#byUid.keys()) if (!now.has(uid)) this.#byUid.delete(uid);
  }

  restore(messages: readonly Message[]): readonly Message[] {
    return this.#byUid.size === 0 ? messages : messages.map((message) => this.#whole(message));
  }

  /** A summary may stand in front of a shortened message's text, so only what pruning takes is put back. */
  #whole(message: Message): Message {
    const original = message.uid === undefined ? undefined : this.#byUid.get(message.uid);
    if (original?.role === "tool" && message.role === "tool") return { ...message, content: original.content };
    if (original?.role === "assistant" && message.role === "assistant" && original.tool_calls !== undefined)
      return { ...message, tool_calls: original.tool_calls };
    return message;
  }
}

function isShortened(before: Message, after: Message): boolean {
  if (before.role === "tool") return before.content !== after.content;
  return before.role === "assistant" && after.role === "assistant" && before.tool_calls !== after.tool_calls;
}
