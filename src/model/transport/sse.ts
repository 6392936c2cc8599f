import type { Frame } from "../protocols/protocol.ts";
import { type FrameDecoder, FramingError, maxFrameBytes } from "./frames.ts";

const lineFeed = 10;
const carriageReturn = 13;

/**
 * Server-sent events, by the letter of the standard: lines end in LF, CR or CRLF; a byte-order mark at
 * the start, comments and unknown fields are nothing; several `data` lines are joined by a line feed; a
 * blank line ends the event. Only whole lines are decoded, so that no character is ever cut.
 */
export class SseDecoder implements FrameDecoder {
  readonly #maxBytes: number;
  /** The beginning of a line whose end has not come yet, in the pieces it came in. */
  #carry: Buffer[] = [];
  #carrySize = 0;
  #data: string | undefined;
  #event = "";
  #isFirst = true;
  /** The last byte was a CR: a LF right behind it belongs to it. */
  #skipsLineFeed = false;
  #frames: Frame[] = [];

  constructor(options: { readonly maxFrameBytes?: number } = {}) {
    this.#maxBytes = options.maxFrameBytes ?? maxFrameBytes;
  }

  push(bytes: Uint8Array): readonly Frame[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn)) + 1;
    if (end > 0) {
      const lines = chunk.subarray(0, end);
      this.#lines((this.#carrySize === 0 ? lines : Buffer.concat([...this.#carry, lines])).toString("utf8"));
      this.#carry = [];
      this.#carrySize = 0;
    }
    if (end < chunk.length) this.#keep(chunk.subarray(end));
    return this.#take();
  }

  /** An event without its blank line counts; a line without its end was cut and does not. */
  end(): readonly Frame[] {
    this.#carry = [];
    this.#carrySize = 0;
    this.#dispatch();
    return this.#take();
  }

  #keep(piece: Buffer): void {
    this.#carrySize += piece.length;
    if (this.#carrySize > this.#maxBytes) throw tooLarge();
    // A copy: the caller may use its bytes again.
    this.#carry.push(Buffer.from(piece));
  }

  #lines(text: string): void {
    let from = 0;
    if (this.#isFirst) {
      this.#isFirst = false;
      if (text.charCodeAt(0) === 0xfeff) from = 1;
    }
    if (this.#skipsLineFeed && text.charCodeAt(from) === lineFeed) from += 1;
    this.#skipsLineFeed = text.charCodeAt(text.length - 1) === carriageReturn;
    const hasReturns = text.includes("\r");
    while (from < text.length) {
      const end = hasReturns ? endOfLine(text, from) : text.indexOf("\n", from);
      this.#line(text, from, end);
      const isPair = text.charCodeAt(end) === carriageReturn && text.charCodeAt(end + 1) === lineFeed;
      from = end + (isPair ? 2 : 1);
    }
  }

  #line(text: string, from: number, end: number): void {
    if (from === end) {
      this.#dispatch();
      return;
    }
    if (text.startsWith("data:", from)) {
      const at = text.charCodeAt(from + 5) === 32 ? from + 6 : from + 5;
      this.#addData(at > end ? "" : text.slice(at, end));
      return;
    }
    const colon = text.indexOf(":", from);
    const name = text.slice(from, colon < 0 || colon > end ? end : colon);
    if (name === "data") this.#addData("");
    else if (name === "event")
      this.#event = colon < 0 || colon > end ? "" : text.slice(colon + 1, end).replace(/^ /, "");
  }

  #addData(line: string): void {
    this.#data = this.#data === undefined ? line : `${this.#data}\n${line}`;
    if (this.#data.length > this.#maxBytes) throw tooLarge();
  }

  #dispatch(): void {
    if (this.#data !== undefined) {
      this.#frames.push({ event: this.#event === "" ? undefined : this.#event, data: this.#data });
      this.#data = undefined;
    }
    this.#event = "";
  }

  #take(): readonly Frame[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }
}

function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === lineFeed || code === carriageReturn) return at;
  }
  return text.length;
}

function tooLarge(): FramingError {
  return new FramingError("one event of the stream is too large");
}
