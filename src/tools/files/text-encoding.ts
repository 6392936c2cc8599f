/** How the bytes of a text file are to be read, and written back. */
export type TextEncoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "latin1";

export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** Reads UTF-8, UTF-16 with its mark, and anything else as Latin-1, which loses no byte. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer[0] === 0xff && buffer[1] === 0xfe) return { text: buffer.toString("utf16le", 2), encoding: "utf-16le" };
  if (buffer[0] === 0xfe && buffer[1] === 0xff) return { text: swapped(buffer.subarray(2)), encoding: "utf-16be" };
  const hasMark = buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf;
  const body = hasMark ? buffer.subarray(3) : buffer;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    return { text, encoding: hasMark ? "utf-8-bom" : "utf-8" };
  } catch {
    return { text: buffer.toString("latin1"), encoding: "latin1" };
  }
}

/** The bytes of a text in the encoding its file had; undefined when a character cannot be written in it. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array | undefined {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text, "utf8");
    case "utf-8-bom":
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text, "utf8")]);
    case "utf-16le":
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    case "utf-16be":
      return Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, "utf16le").swap16()]);
    case "latin1":
      // biome-ignore lint/suspicious/noControlCharactersInRegex: every byte value is a Latin-1 character
      return /^[\u0000-\u00ff]*$/.test(text) ? Buffer.from(text, "latin1") : undefined;
  }
}

function swapped(bytes: Buffer): string {
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  return Buffer.from(even).swap16().toString("utf16le");
}
