import type { ParseOptions, ParseResult, ToolCallParser } from "./parser.ts";

/**
 * A parser fed piece by piece. Text that can no longer be part of a call is handed out as it comes;
 * what follows the first marker is kept and parsed whole at the end, so the pieces cannot change the
 * result.
 */
export class ParserStream {
  readonly #parser: ToolCallParser;
  readonly #options: ParseOptions;
  readonly #pieces: string[] = [];
  /** Text not handed out yet because it may be the beginning of a marker. */
  #held = "";
  #isPastMarker = false;

  constructor(parser: ToolCallParser, options: ParseOptions = {}) {
    this.#parser = parser;
    this.#options = options;
  }

  /** The visible text that became certain with this piece. */
  push(piece: string): string {
    this.#pieces.push(piece);
    if (this.#isPastMarker) return "";
    this.#held += piece;
    const markerAt = firstOf(this.#held, this.#parser.contentEnds);
    if (markerAt >= 0) {
      this.#isPastMarker = true;
      return this.#release(markerAt);
    }
    return this.#release(this.#held.length - openSuffix(this.#held, this.#parser.contentEnds));
  }

  end(finishReason?: string): ParseResult {
    const options = finishReason === undefined ? this.#options : { ...this.#options, finishReason };
    return this.#parser.parse(this.#pieces.join(""), options);
  }

  #release(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return text;
  }
}

function firstOf(text: string, markers: readonly string[]): number {
  const found = markers.map((marker) => text.indexOf(marker)).filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}

/** Length of the longest end of the text with which a marker could begin. */
function openSuffix(text: string, markers: readonly string[]): number {
  let longest = 0;
  for (const marker of markers) {
    for (let length = Math.min(marker.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(marker.slice(0, length))) longest = length;
    }
  }
  return longest;
}
