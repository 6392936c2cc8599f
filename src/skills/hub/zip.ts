import { UserError } from "#foundation/errors";
import { BundleFiles, bundleLimits } from "./bundle.ts";

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const unixLink = 0o120000;

/** The files of a ZIP archive. Links, encrypted entries and paths that lead anywhere are refused; sizes are checked while unpacking. */
export function unzip(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const gathered = new BundleFiles();
  try {
    for (const entry of entriesOf(data)) {
      if (entry.path.endsWith("/")) continue;
      gathered.add(entry.path, contentOf(data, entry));
    }
  } catch (error) {
    if (error instanceof RangeError) throw broken("it is cut off or damaged");
    throw error;
  }
  return gathered.files;
}

interface Entry {
  readonly path: string;
  readonly method: number;
  readonly packedBytes: number;
  readonly offset: number;
}

function entriesOf(data: Buffer): readonly Entry[] {
  const end = data.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1 || data.readUInt32LE(end) !== endSignature) throw broken("it is not a ZIP archive");
  const count = data.readUInt16LE(end + 10);
  if (count > bundleLimits.files * 2) throw broken("it has too many entries");
  const entries: Entry[] = [];
  let at = data.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (data.readUInt32LE(at) !== entrySignature) throw broken("its directory is damaged");
    const nameLength = data.readUInt16LE(at + 28);
    const mode = data.readUInt32LE(at + 38) >>> 16;
    const path = data.toString("utf8", at + 46, at + 46 + nameLength);
    if ((mode & 0o170000) === unixLink) throw broken(`${JSON.stringify(path)} is a link`);
    if ((data.readUInt16LE(at + 8) & 1) !== 0) throw broken("it is encrypted");
    entries.push({
      path,
      method: data.readUInt16LE(at + 10),
      packedBytes: data.readUInt32LE(at + 20),
      offset: data.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
  return entries;
}

function contentOf(data: Buffer, entry: Entry): Uint8Array {
  if (data.readUInt32LE(entry.offset) !== localSignature) throw broken("an entry is damaged");
  const start = entry.offset + 30 + data.readUInt16LE(entry.offset + 26) + data.readUInt16LE(entry.offset + 28);
  const packed = data.subarray(start, start + entry.packedBytes);
  if (packed.length !== entry.packedBytes) throw broken("it is cut off or damaged");
  if (entry.method === 0) return packed;
  if (entry.method !== 8) throw broken("it uses an unknown compression");
  try {
    return process.getBuiltinModule("node:zlib").inflateRawSync(packed, { maxOutputLength: bundleLimits.fileBytes });
  } catch (error) {
    throw new UserError(`The archive was refused: ${entry.path} is damaged or too large.`, {
      code: "skill_bundle_refused",
      cause: error,
    });
  }
}

function broken(reason: string): UserError {
  return new UserError(`The archive was refused: ${reason}.`, { code: "skill_bundle_refused" });
}
