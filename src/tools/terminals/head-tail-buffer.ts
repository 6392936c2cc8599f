const mebibyte = 1_048_576;

/** Raw output of a command: the first and the last part of it, and how much was between them. */
export class HeadTailBuffer {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Uint8Array[] = [];
  #tail: Uint8Array[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #omittedBytes = 0;

  constructor(limits: { readonly headBytes: number; readonly tailBytes: number } = defaultLimits) {
    this.#headLimit = limits.headBytes;
    this.#tailLimit = limits.tailBytes;
  }

  get omittedBytes(): number {
    return this.#omittedBytes;
  }

  push(chunk: Uint8Array): void {
    const headPart = chunk.subarray(0, this.#headLimit - this.#headBytes);
    // Copies, so that a small piece does not keep a large block of the reader alive.
    if (headPart.length > 0) this.#head.push(Uint8Array.from(headPart));
    this.#headBytes += headPart.length;
    const rest = chunk.subarray(headPart.length);
    if (rest.length === 0) return;
    this.#tail.push(Uint8Array.from(rest));
    this.#tailBytes += rest.length;
    for (let first = this.#tail[0]; first !== undefined && this.#tailBytes - first.length >= this.#tailLimit; ) {
      this.#tail.shift();
      this.#drop(first.length);
      first = this.#tail[0];
    }
  }

  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const excess = Math.max(0, tail.length - this.#tailLimit);
    if (excess > 0) {
      this.#tail = [tail.subarray(excess)];
      this.#drop(excess);
    }
    if (this.#omittedBytes === 0) return Buffer.concat([head, tail]).toString("utf8");
    // A character cut in two would show as a replacement sign that the command never wrote.
    const start = new TextDecoder("utf-8").decode(head, { stream: true });
    const end = tail
      .subarray(excess)
      .toString("utf8")
      .replace(/^\uFFFD{1,3}/, "");
    return `${start}\n[... ${this.#omittedBytes} bytes left out ...]\n${end}`;
  }

  #drop(bytes: number): void {
    this.#tailBytes -= bytes;
    this.#omittedBytes += bytes;
  }
}

const defaultLimits = { headBytes: mebibyte, tailBytes: 4 * mebibyte };
