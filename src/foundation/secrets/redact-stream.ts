import { applySpans, type SecretSpan } from "./redact-spans.ts";

export interface SecretFinder {
  find(text: string): readonly SecretSpan[];
  /** How many characters at the end may be the beginning of a known value. */
  heldSuffix(text: string): number;
}

/** Words before a value that tell what it is: `-----BEGIN OPENSSH PRIVATE KEY-----`, `Authorization: Bearer`. */
const heldWords = 5;
/** One word longer than this is no key, and holding it back would stall the stream. */
const maxHeld = 65_536;

/**
 * Redacts text that arrives in pieces: joined, its output is what redacting the whole text gives,
 * except that a secret is never let out because it arrived in two parts. The last few words wait
 * until more text, or the end, shows that they are harmless.
 */
export class RedactStream {
  readonly #finder: SecretFinder;
  #held = "";

  constructor(finder: SecretFinder) {
    this.#finder = finder;
  }

  /** What can be shown now. */
  push(text: string): string {
    this.#held += text;
    const spans = this.#finder.find(this.#held);
    const cut = this.#held.length > maxHeld ? this.#held.length : this.#safeEnd(spans);
    const ready = spans.filter((span) => span.end <= cut);
    const shown = applySpans(this.#held.slice(0, cut), ready);
    this.#held = this.#held.slice(cut);
    return shown;
  }

  /** The rest. */
  end(): string {
    const rest = applySpans(this.#held, this.#finder.find(this.#held));
    this.#held = "";
    return rest;
  }

  #safeEnd(spans: readonly SecretSpan[]): number {
    const text = this.#held;
    let cut = Math.min(wordsStart(text), text.length - this.#finder.heldSuffix(text));
    // A finding that reaches the cut may still grow; the words that gave it away are needed to find it again.
    for (const span of spans.toReversed()) if (span.end >= cut && span.from < cut) cut = span.from;
    return Math.max(0, cut);
  }
}

/** Where the last few words begin. */
function wordsStart(text: string): number {
  let index = text.length;
  for (let word = 0; word < heldWords && index > 0; word += 1) {
    while (index > 0 && isSpace(text.charCodeAt(index - 1))) index -= 1;
    while (index > 0 && !isSpace(text.charCodeAt(index - 1))) index -= 1;
  }
  return index;
}

function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13);
}
