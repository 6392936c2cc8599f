import { crc32 } from "node:zlib";
import type { Frame } from "../protocols/protocol.ts";
import { type FrameDecoder, FramingError, maxFrameBytes } from "./frames.ts";

const preludeBytes = 12;
const trailerBytes = 4;

/**
 * The framing of AWS event streams: lengths and their checksum, headers, payload, checksum of all. A frame
 * whose checksum is wrong ends the stream. Exceptions come out as events named `exception/<type>`.
 */
export class AwsEventDecoder implements FrameDecoder {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes = maxFrameBytes) {
    this.#maxBytes = maxBytes;
  }

  push(bytes: Uint8Array): readonly Frame[] {
    this.#chunks.push(Buffer.from(bytes));
    this.#size += bytes.byteLength;
    const frames: Frame[] = [];
    for (;;) {
      const total = this.#frameLength();
      if (total === undefined || this.#size < total) return frames;
      frames.push(readFrame(this.#cut(total)));
    }
  }

  end(): readonly Frame[] {
    return [];
  }

  /** Checked as soon as it is known, before anything of that size is waited for. */
  #frameLength(): number | undefined {
    if (this.#size < preludeBytes) return undefined;
    const head = this.#joined();
    const total = head.readUInt32BE(0);
    const headers = head.readUInt32BE(4);
    if (crc32(head.subarray(0, 8)) !== head.readUInt32BE(8)) throw new FramingError("a frame has a wrong checksum");
    if (total > this.#maxBytes) throw new FramingError("one event of the stream is too large");
    if (headers + preludeBytes + trailerBytes > total) throw new FramingError("a frame has impossible lengths");
    return total;
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #cut(length: number): Buffer {
    const joined = this.#joined();
    const rest = joined.subarray(length);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    return joined.subarray(0, length);
  }
}

function readFrame(bytes: Buffer): Frame {
  const end = bytes.length - trailerBytes;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw new FramingError("a frame has a wrong checksum");
  const headersEnd = preludeBytes + bytes.readUInt32BE(4);
  const headers = readHeaders(bytes.subarray(preludeBytes, headersEnd));
  const data = bytes.toString("utf8", headersEnd, end);
  const kind = headers.get(":message-type") ?? "event";
  if (kind === "event") return { event: headers.get(":event-type"), data };
  const code = headers.get(":exception-type") ?? headers.get(":error-code") ?? kind;
  const message = headers.get(":error-message") ?? "";
  return { event: `exception/${code}`, data: data === "" ? JSON.stringify({ message }) : data };
}

/** Sizes of header values by type; strings and bytes say theirs. */
const fixedSizes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const stringType = 7;

function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  try {
    while (at < bytes.length) {
      const nameEnd = at + 1 + bytes.readUInt8(at);
      const name = bytes.toString("utf8", at + 1, nameEnd);
      const type = bytes.readUInt8(nameEnd);
      if (type >= fixedSizes.length) throw new FramingError("a frame has a header of an unknown type");
      const fixed = fixedSizes[type];
      const valueStart = nameEnd + (fixed === undefined ? 3 : 1);
      const valueEnd = valueStart + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
      if (type === stringType) headers.set(name, bytes.toString("utf8", valueStart, valueEnd));
      at = valueEnd;
    }
  } catch (error) {
    if (error instanceof RangeError) throw new FramingError("a frame has broken headers");
    throw error;
  }
  return headers;
}
