import type { Readable } from "node:stream";

/** The other side writes more than any answer needs. */
export class TooMuchError extends Error {
  constructor(what: string) {
    super(what);
    this.name = "TooMuchError";
  }
}

const maxLineBytes = 16 * 1024 * 1024;
const maxTotalBytes = 256 * 1024 * 1024;
const newline = 0x0a;

/** The lines of a stream of bytes, without their ends; a last line without an end counts. */
export async function* readLines(input: Readable): AsyncGenerator<string, void> {
  let pieces: Uint8Array[] = [];
  let lineBytes = 0;
  let totalBytes = 0;
  for await (const chunk of input as AsyncIterable<Uint8Array>) {
    totalBytes += chunk.length;
    if (totalBytes > maxTotalBytes) throw new TooMuchError(`more than ${maxTotalBytes} bytes were sent`);
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      yield joinedText([...pieces, chunk.subarray(from, at)]);
      pieces = [];
      lineBytes = 0;
      from = at + 1;
    }
    pieces.push(chunk.subarray(from));
    lineBytes += chunk.length - from;
    if (lineBytes > maxLineBytes) throw new TooMuchError(`a line is longer than ${maxLineBytes} bytes`);
  }
  if (lineBytes > 0) yield joinedText(pieces);
}

function joinedText(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString("utf8").replace(/\r$/, "");
}
