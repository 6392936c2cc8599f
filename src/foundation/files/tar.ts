/** One entry of a tar archive. The path is what the archive says: whoever writes files looks at it first. */
export interface TarEntry {
  readonly path: string;
  /** The letter of its kind: `0` a file, `5` a folder, anything else a link, a device or a note. */
  readonly type: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

export class TarError extends Error {}

const block = 512;

/** The entries of an archive that is not packed. Throws {@link TarError} where it is cut off or damaged. */
export function* tarEntries(data: Buffer): Generator<TarEntry, void> {
  for (let at = 0; at + block <= data.length; ) {
    const header = data.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) return;
    const size = Number.parseInt(textIn(header, 124, 12), 8);
    if (!Number.isInteger(size) || size < 0 || at + block + size > data.length)
      throw new TarError("it is cut off or damaged");
    const folder = textIn(header, 257, 5) === "ustar" ? textIn(header, 345, 155) : "";
    yield {
      path: `${folder === "" ? "" : `${folder}/`}${textIn(header, 0, 100)}`,
      type: textIn(header, 156, 1) || "0",
      mode: Number.parseInt(textIn(header, 100, 8), 8) || 0,
      bytes: data.subarray(at + block, at + block + size),
    };
    at += block + Math.ceil(size / block) * block;
  }
}

function textIn(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end).trim();
}
