import { type Literal, LiteralMatcher } from "./literal-matcher.ts";
import type { SecretSpan } from "./redact-spans.ts";

/** What is put between the characters of a value, or between its pieces: blanks, quotes, signs that join or list. */
const between = /[\s\p{Cf}"'`+,;|·_*\\()[\]<>]/u;

/** Shorter values would be found by chance once everything between letters is taken out. */
const shortestSpaced = 12;

/** Finds known values whose characters stand apart: `s k - 1 2`, `"sk-" + "12"`, one piece a line. */
export class SpacedMatcher {
  readonly #matcher: LiteralMatcher | undefined;

  constructor(literals: readonly Literal[]) {
    const joined = literals.flatMap(({ text, mask }) => {
      const { letters } = condensed(text);
      return letters.length < shortestSpaced ? [] : [{ text: letters, mask }];
    });
    this.#matcher = joined.length === 0 ? undefined : new LiteralMatcher(joined);
  }

  find(text: string): readonly SecretSpan[] {
    if (this.#matcher === undefined || text.length < shortestSpaced) return [];
    const { letters, locations } = condensed(text);
    return this.#matcher.find(letters).map((span) => {
      const start = locations[span.start] ?? 0;
      return { ...span, start, from: start, end: (locations[span.end - 1] ?? 0) + 1 };
    });
  }
}

/** The text without what stands between, and where each of its characters was. */
function condensed(text: string): { readonly letters: string; readonly locations: readonly number[] } {
  const locations: number[] = [];
  let letters = "";
  for (let at = 0; at < text.length; at += 1) {
    const one = text.charAt(at);
    if (between.test(one)) continue;
    letters += one;
    locations.push(at);
  }
  return { letters, locations };
}
