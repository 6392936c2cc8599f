/**
 * Keeps the beginning and the end of a byte stream within a limit and counts what was in between.
 * What it drops is always whole: neither half ends inside a UTF-8 character.
 */
export class OutputBuffer {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #totalBytes = 0;

  constructor(maxBytes: number) {
    this.#headLimit = Math.ceil(maxBytes / 2);
    this.#tailLimit = Math.max(0, maxBytes - this.#headLimit);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  get isTruncated(): boolean {
    return this.#totalBytes > this.#headBytes + this.#tailBytes || this.#tailBytes > this.#tailLimit;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#totalBytes += bytes.length;
    const headPart = bytes.subarray(0, this.#headLimit - this.#headBytes);
    if (headPart.length > 0) {
      // A copy, so that a small piece does not keep the reader's large block alive.
      this.#head.push(Buffer.from(headPart));
      this.#headBytes += headPart.length;
    }
    const rest = bytes.subarray(headPart.length);
    if (rest.length > 0) this.#pushTail(Buffer.from(rest));
  }

  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const lastTail = tail.subarray(Math.max(0, tail.length - this.#tailLimit));
    if (!this.isTruncated) return Buffer.concat([head, tail]).toString("utf8");
    const headText = head.subarray(0, wholeEnd(head));
    const tailText = lastTail.subarray(wholeStart(lastTail));
    const omitted = this.#totalBytes - headText.length - tailText.length;
    return `${headText.toString("utf8")}\n[... ${omitted} bytes left out ...]\n${tailText.toString("utf8")}`;
  }

  /** Whole chunks are let go once the ones after them fill the limit, so each byte is moved a bounded number of times. */
  #pushTail(chunk: Buffer): void {
    const last = chunk.subarray(Math.max(0, chunk.length - this.#tailLimit - 4));
    this.#tail.push(last);
    this.#tailBytes += last.length;
    let first = this.#tail[0];
    while (first !== undefined && this.#tailBytes - first.length >= this.#tailLimit) {
      this.#tail.shift();
      this.#tailBytes -= first.length;
      first = this.#tail[0];
    }
    if (this.#tail.length > 256) this.#tail = [Buffer.concat(this.#tail)];
  }
}

/** Where the last complete character ends. */
function wholeEnd(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start];
  if (lead === undefined) return 0;
  return start + characterLength(lead) > bytes.length ? start : bytes.length;
}

/** Where the first complete character starts. */
function wholeStart(bytes: Buffer): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
