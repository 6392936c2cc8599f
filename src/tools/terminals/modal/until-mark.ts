/** Hands on what comes before a mark and drops the rest. Only what may be the beginning of the mark waits for more. */
export class UntilMark {
  readonly #mark: Buffer;
  #held = Buffer.alloc(0);
  #isPast = false;

  constructor(mark: string) {
    this.#mark = Buffer.from(mark);
  }

  /** What of it can be handed on. */
  take(bytes: Uint8Array): Uint8Array {
    if (this.#isPast) return new Uint8Array();
    const all = Buffer.concat([this.#held, bytes]);
    const at = all.indexOf(this.#mark);
    this.#isPast = at >= 0;
    const end = this.#isPast ? at : all.length - this.#beginningIn(all);
    this.#held = this.#isPast ? Buffer.alloc(0) : all.subarray(end);
    return all.subarray(0, end);
  }

  /** What waited for a mark that did not come. */
  rest(): Uint8Array {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }

  /** How many bytes at the end may be the beginning of the mark. */
  #beginningIn(bytes: Buffer): number {
    for (let length = Math.min(this.#mark.length - 1, bytes.length); length > 0; length -= 1)
      if (bytes.subarray(bytes.length - length).equals(this.#mark.subarray(0, length))) return length;
    return 0;
  }
}
