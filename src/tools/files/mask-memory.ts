import type { Redactor } from "#foundation/secrets/redact";

const contextChars = 24;
const maxRemembered = 2_000;

/**
 * Redacts, and remembers what the masked text looked like, so that a mask is recognised when it comes
 * back to be written: it would take the place of the real secret.
 */
export class MaskMemory {
  readonly #redactor: Redactor;
  readonly #shown = new Set<string>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  redact = (text: string): string => {
    const redacted = this.#redactor.redact(text);
    if (redacted === text) return text;
    for (const span of this.#redactor.find(text))
      this.#remember(text.slice(lineStart(text, span.start), span.start), span.mask);
    return redacted;
  };

  /** A mask that was shown and stands in this text, or undefined. */
  find = (text: string): string | undefined => {
    if (!text.includes("***") && !text.includes("...") && !text.includes("[redacted")) return undefined;
    for (const shown of this.#shown) if (text.includes(shown)) return shown;
    return undefined;
  };

  /** Plain stars say nothing alone, so the words before them on their line count too. */
  #remember(before: string, mask: string): void {
    this.#shown.add(`${before.slice(-contextChars)}${mask}`);
    if (this.#shown.size <= maxRemembered) return;
    const oldest = this.#shown.values().next();
    if (oldest.done !== true) this.#shown.delete(oldest.value);
  }
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}
