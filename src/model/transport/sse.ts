import { isAscii } from "node:buffer";
import type { Frame } from "../protocols/protocol.ts";
import { type FrameDecoder, FramingError, maxFrameBytes } from "./frames.ts";

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const anyLineEnd = /\r\n|\r|\n/;
/** U+FEFF in UTF-8, read byte by byte. */
const byteOrderMark = "\u00ef\u00bb\u00bf";

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
  #endedInReturn = false;
  #frames: Frame[] = [];

  constructor(maxBytes = maxFrameBytes) {
    this.#maxBytes = maxBytes;
  }

  push(bytes: Uint8Array): readonly Frame[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn)) + 1;
    if (end > 0) {
      const lines = chunk.subarray(0, end);
      this.#lines(this.#carrySize === 0 ? lines : Buffer.concat([...this.#carry, lines]));
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

  /**
   * Lines are found in the bytes read as Latin-1, where one byte is one character and searching is cheap;
   * only a value that holds other characters is decoded again.
   */
  #lines(bytes: Buffer): void {
    const text = bytes.toString("latin1");
    const isPlain = isAscii(bytes);
    const lines = text.includes("\r") ? text.split(anyLineEnd) : text.split("\n");
    // Behind the last line end stands nothing.
    lines.pop();
    if (this.#isFirst) {
      this.#isFirst = false;
      if (lines[0]?.startsWith(byteOrderMark) === true) lines[0] = lines[0].slice(byteOrderMark.length);
    }
    // A pair of CR and LF that came in two pieces is one line end.
    if (this.#endedInReturn && text.charCodeAt(0) === lineFeed) lines.shift();
    this.#endedInReturn = text.charCodeAt(text.length - 1) === carriageReturn;
    for (const line of lines) {
      if (line === "") this.#dispatch();
      else this.#line(line, isPlain);
    }
  }

  #line(line: string, isPlain: boolean): void {
    if (line.startsWith("data:")) {
      this.#addData(valueIn(line, "data:".length, isPlain));
    } else if (line.startsWith("event:")) {
      this.#event = valueIn(line, "event:".length, isPlain);
    } else if (line === "data") this.#addData("");
    else if (line === "event") this.#event = "";
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

/** What stands behind the colon, without the one blank that may follow it. */
function valueIn(line: string, from: number, isPlain: boolean): string {
  const value = line.slice(line.charCodeAt(from) === space ? from + 1 : from);
  return isPlain || !/[\u0080-\u00ff]/.test(value) ? value : Buffer.from(value, "latin1").toString("utf8");
}

function tooLarge(): FramingError {
  return new FramingError("one event of the stream is too large");
}
