import type { SecretSpan } from "./redact-spans.ts";

export interface Literal {
  readonly text: string;
  readonly mask: string;
}

/** Every literal has at least this many characters; they are found by a rolling hash over as many. */
const windowSize = 6;
const base = 0x01000193;
const outFactor = power(base, windowSize - 1);
const filterSize = 65_536;

/**
 * Finds many known texts in one pass. A hash of the last six characters rolls along; where it equals
 * that of a literal's first six, the literals with this beginning are compared.
 */
export class LiteralMatcher {
  readonly #byHash = new Map<number, Literal[]>();
  /** Answers "surely none" for most positions without a look into the map. */
  readonly #filter = new Uint8Array(filterSize);

  constructor(literals: readonly Literal[]) {
    for (const literal of literals) {
      const hash = hashOf(literal.text);
      this.#byHash.set(hash, [...(this.#byHash.get(hash) ?? []), literal]);
      this.#filter[slotOf(hash)] = 1;
    }
    // Of two that begin alike the longer one is tried first.
    for (const group of this.#byHash.values()) group.sort((a, b) => b.text.length - a.text.length);
  }

  find(text: string): readonly SecretSpan[] {
    const spans: SecretSpan[] = [];
    if (this.#byHash.size === 0 || text.length < windowSize) return spans;
    let hash = hashOf(text);
    for (let start = 0; ; start += 1) {
      if (this.#filter[slotOf(hash)] === 1) this.#collect(text, start, { hash, spans });
      const next = start + windowSize;
      if (next >= text.length) return spans;
      hash = (Math.imul(hash - Math.imul(text.charCodeAt(start), outFactor), base) + text.charCodeAt(next)) | 0;
    }
  }

  #collect(text: string, start: number, found: { hash: number; spans: SecretSpan[] }): void {
    const literal = this.#byHash.get(found.hash)?.find((candidate) => text.startsWith(candidate.text, start));
    if (literal === undefined) return;
    found.spans.push({ start, end: start + literal.text.length, from: start, mask: literal.mask, rank: "exact" });
  }
}

function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < windowSize; index += 1) hash = (Math.imul(hash, base) + text.charCodeAt(index)) | 0;
  return hash;
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & (filterSize - 1);
}

function power(factor: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count += 1) result = Math.imul(result, factor);
  return result;
}
