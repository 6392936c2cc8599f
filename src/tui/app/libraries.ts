import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { TranscriptItem } from "../state/transcript-item.ts";
import { Highlighter } from "../text/highlight.ts";
import type { Lexer } from "../text/markdown.ts";

/** Libraries for drawing text, loaded after the first frame; items that need one wait for it. */
export class Libraries {
  readonly #log: Logger;
  readonly #onLoaded: () => void;
  readonly highlighter: Highlighter;
  lexer: Lexer | undefined;
  #isSettled = false;

  constructor(log: Logger, onLoaded: () => void) {
    this.#log = log;
    this.#onLoaded = onLoaded;
    this.highlighter = new Highlighter(onLoaded);
  }

  async load(): Promise<void> {
    try {
      const { markdownLexer } = await import("../text/markdown-lexer.ts");
      this.lexer = markdownLexer();
    } catch (error) {
      this.#log.error("Markdown cannot be drawn.", { error: describe(error) });
    }
    this.#isSettled = true;
    this.#onLoaded();
  }

  /** Whether an item can be drawn as it should be. It is written once, so it had better be right. */
  isReadyFor(item: TranscriptItem): boolean {
    switch (item.kind) {
      case "answer":
        if (item.chunk.kind === "code" && this.highlighter.isLoading(item.chunk.language)) return false;
        return this.#isSettled;
      case "panel":
      case "resume":
        return this.#isSettled;
      case "view":
        return item.view.kind !== "markdown" || this.#isSettled;
      default:
        return true;
    }
  }
}
