import type { Content, Message } from "#conversation";
import { textPart } from "#conversation";

const label = "User guidance:";

/** Guidance that arrives while a turn runs. It reaches the model with the next tool result, or not in this turn. */
export class SteerBox {
  #texts: readonly string[] = [];

  /** False for blank text. */
  put(text: string): boolean {
    if (text.trim() === "") return false;
    this.#texts = [...this.#texts, text.trim()];
    return true;
  }

  /** Adds what waits to the last result that is about to be recorded; recorded messages are never changed. */
  deliver(messages: readonly Message[]): readonly Message[] {
    const last = messages.at(-1);
    if (this.#texts.length === 0 || last === undefined || last.role !== "tool") return messages;
    const note = `\n\n${label} ${this.take() ?? ""}`;
    return [...messages.slice(0, -1), { ...last, content: withText(last.content, note) }];
  }

  /** What was not delivered, for the next turn. */
  take(): string | undefined {
    const text = this.#texts.join("\n");
    this.#texts = [];
    return text === "" ? undefined : text;
  }
}

export function withText(content: Content, text: string): Content {
  return typeof content === "string" ? content + text : [...content, textPart(text.trim())];
}
