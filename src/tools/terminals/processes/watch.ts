const quietMs = 15_000;
const strikesToDisable = 3;
const maxLines = 20;
const maxChars = 2_000;
const longestLine = 20_000;

export type WatchSignal =
  | { readonly kind: "match"; readonly pattern: string; readonly output: string; readonly suppressed: number }
  | { readonly kind: "disabled"; readonly suppressed: number };

/**
 * Looks for plain texts in the lines of one process.
 *
 * 1. A line is judged once, whole, also when it arrives in pieces.
 * 2. After a report there is silence for 15 s; a silence in which something was held back is a strike.
 * 3. Three strikes in a row end the watching; a silence in which nothing was held back clears them.
 */
export class Watch {
  readonly #patterns: readonly string[];
  #line = "";
  #quietUntilMs = 0;
  #isStruck = false;
  #strikes = 0;
  #suppressed = 0;
  #isDisabled = false;

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.filter((pattern) => pattern !== "");
  }

  feed(text: string, nowMs: number): readonly WatchSignal[] {
    if (this.#isDisabled || this.#patterns.length === 0) return [];
    const lines = (this.#line + text).split("\n");
    this.#line = (lines.pop() ?? "").slice(-longestLine);
    const matched = lines.filter((line) => this.#patternIn(line) !== undefined);
    const pattern = this.#patternIn(matched[0] ?? "");
    if (pattern === undefined) return [];
    return nowMs < this.#quietUntilMs ? this.#hold(matched.length) : [this.#report(pattern, matched, nowMs)];
  }

  #patternIn(line: string): string | undefined {
    return this.#patterns.find((pattern) => line.includes(pattern));
  }

  #hold(count: number): readonly WatchSignal[] {
    this.#suppressed += count;
    if (this.#isStruck) return [];
    this.#isStruck = true;
    this.#strikes += 1;
    if (this.#strikes < strikesToDisable) return [];
    this.#isDisabled = true;
    return [{ kind: "disabled", suppressed: this.#suppressed }];
  }

  #report(pattern: string, matched: readonly string[], nowMs: number): WatchSignal {
    if (!this.#isStruck) this.#strikes = 0;
    this.#isStruck = false;
    this.#quietUntilMs = nowMs + quietMs;
    const suppressed = this.#suppressed;
    this.#suppressed = 0;
    return { kind: "match", pattern, output: matched.slice(0, maxLines).join("\n").slice(0, maxChars), suppressed };
  }
}
