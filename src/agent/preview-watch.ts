import type { AgentEvent } from "#conversation";

/** Remembers the visible text of the running step, so that nobody prints an answer that was already streamed. */
export class PreviewWatch {
  #text = "";

  note(event: AgentEvent): void {
    if (event.type === "step-start") this.#text = "";
    else if (event.type === "text-delta") this.#text += event.text;
  }

  /** Whether these words were the last to be streamed; a continued answer counts as one. */
  hasShown(text: string): boolean {
    const words = text.trim();
    return words !== "" && this.#text.trimEnd().endsWith(words);
  }
}
