import { type Content, cleanInput, type RequestMessage, recallBlock, textPart, type UserMessage } from "#conversation";
import { isRecord } from "#foundation/json";

/**
 * What a request carries beyond the stored prompt and transcript. Invariants:
 *
 * 1. Nothing here changes a stored message or the cached prompt: every function gives a copy.
 * 2. What was once sent with a user message stays with it for the rest of the session, byte for byte. Dropping
 *    it in the next turn would change the middle of the request and lose the provider's cache from there on.
 * 3. None of it belongs in the database, the log or a trajectory.
 */

/**
 * Ephemeral prompt, session overlay and notes about budget or pressure as one text, in this order. It is sent
 * beside the cached prompt (`ephemeral` of a model request), so that the prompt itself keeps its bytes.
 */
export function ephemeralText(notes: readonly (string | undefined)[]): string {
  return notes
    .map((note) => note?.trim() ?? "")
    .filter((note) => note !== "")
    .join("\n\n");
}

/** Prefilled messages stand before the history, behind a system message if there is one. */
export function withPrefill<M extends RequestMessage>(messages: readonly M[], prefill: readonly M[]): readonly M[] {
  if (prefill.length === 0) return messages;
  const [first] = messages;
  if (first?.role !== "system") return [...prefill, ...messages];
  return [first, ...prefill, ...messages.slice(1)];
}

/** The answers of `pre_llm_call` hooks as one text: strings and `{ context }`, joined by blank lines; anything else is nothing. */
export function hookContext(answers: readonly unknown[]): string {
  return answers
    .map((answer) => (isRecord(answer) ? answer.context : answer))
    .filter((text): text is string => typeof text === "string" && text.trim() !== "")
    .map((text) => text.trim())
    .join("\n\n");
}

export interface TurnAdditions {
  /** Raw text of the memory provider; fences inside it are removed. */
  readonly recall?: string;
  /** From {@link hookContext}. */
  readonly hookContext?: string;
}

/** The text that goes behind a user's words: the recall first, then what hooks said. Empty when there is neither. */
export function additionText(additions: TurnAdditions): string {
  const recall = cleanInput(additions.recall ?? "").trim();
  const context = (additions.hookContext ?? "").trim();
  return [recall === "" ? "" : recallBlock(recall), context].filter((text) => text !== "").join("\n\n");
}

export function appendText(content: Content, text: string): Content {
  if (text === "") return content;
  if (typeof content !== "string") return [...content, textPart(text)];
  return content === "" ? text : `${content}\n\n${text}`;
}

/** As JSON: message uid and the text sent with it, oldest first. */
export type StoredAdditions = readonly (readonly [uid: string, text: string])[];

const maxRemembered = 2_000;

/**
 * Remembers, per user message, what was sent with it. Lives as long as the session does in memory. A resumed
 * session starts with none: its first request then differs where an old addition stood, which the caller names
 * "resume" to {@link PrefixWatch}. A caller that hands a live session to another process may pass
 * `snapshot()` along and restore it with `Additions.from`.
 */
export class Additions {
  readonly #texts = new Map<string, string>();

  static from(stored: unknown): Additions {
    const additions = new Additions();
    if (!Array.isArray(stored)) return additions;
    for (const entry of stored) {
      const [uid, text] = Array.isArray(entry) ? (entry as readonly unknown[]) : [];
      if (typeof uid === "string" && typeof text === "string") additions.#keep(uid, text);
    }
    return additions;
  }

  /**
   * Fixes what goes with a message. The first word counts, also when it was "nothing": a later step of the turn
   * must send the same bytes. Returns what is fixed.
   */
  set(uid: string, additions: TurnAdditions): string {
    const known = this.#texts.get(uid);
    if (known !== undefined) return known;
    const text = additionText(additions);
    this.#keep(uid, text);
    return text;
  }

  /** The request copy: messages without an addition are the same objects as before. */
  apply<M extends RequestMessage>(messages: readonly M[]): readonly M[] {
    if (this.#texts.size === 0) return messages;
    return messages.map((message) => this.#applied(message));
  }

  /** Forgets messages that are no longer in the history, after compression for example. */
  retain(messages: readonly RequestMessage[]): void {
    const present = new Set(messages.map(({ uid }) => uid));
    for (const uid of this.#texts.keys()) if (!present.has(uid)) this.#texts.delete(uid);
  }

  snapshot(): StoredAdditions {
    return [...this.#texts].filter(([, text]) => text !== "");
  }

  #applied<M extends RequestMessage>(message: M): M {
    if (message.role !== "user" || message.uid === undefined) return message;
    const text = this.#texts.get(message.uid) ?? "";
    const user: UserMessage = message;
    return text === "" ? message : { ...message, content: appendText(user.content, text) };
  }

  #keep(uid: string, text: string): void {
    this.#texts.set(uid, text);
    if (this.#texts.size <= maxRemembered) return;
    const oldest = this.#texts.keys().next();
    if (oldest.done !== true) this.#texts.delete(oldest.value);
  }
}
