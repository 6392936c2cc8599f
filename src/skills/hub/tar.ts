import { UserError } from "#foundation/errors";
import { BundleFiles, bundleLimits } from "./bundle.ts";

const block = 512;
/** Headers and padding come on top of what a bundle may hold. */
const maxArchiveBytes = bundleLimits.totalBytes + 4 * block * bundleLimits.files;
const skipped = new Set(["5", "g", "x"]);

/** The files of a tar archive, packed with gzip or not. Links and devices are refused; nothing is written. */
export function untar(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const data = unpacked(bytes);
  const gathered = new BundleFiles();
  for (let at = 0; at + block <= data.length; ) {
    const header = data.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(textIn(header, 124, 12), 8);
    if (!Number.isInteger(size) || size < 0 || at + block + size > data.length)
      throw broken("it is cut off or damaged");
    const type = textIn(header, 156, 1) || "0";
    const folder = textIn(header, 257, 5) === "ustar" ? textIn(header, 345, 155) : "";
    const path = `${folder === "" ? "" : `${folder}/`}${textIn(header, 0, 100)}`;
    if (type === "0") gathered.add(path.replace(/^\.\//, ""), data.subarray(at + block, at + block + size));
    else if (!skipped.has(type)) throw broken(`${JSON.stringify(path)} is neither a file nor a folder`);
    at += block + Math.ceil(size / block) * block;
  }
  return gathered.files;
}

function textIn(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end).trim();
}

function unpacked(bytes: Uint8Array): Buffer {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data[0] !== 0x1f || data[1] !== 0x8b) return data;
  try {
    return process.getBuiltinModule("node:zlib").gunzipSync(data, { maxOutputLength: maxArchiveBytes });
  } catch (error) {
    throw new UserError("The archive was refused: it is damaged or too large.", {
      code: "skill_bundle_refused",
      cause: error,
    });
  }
}

function broken(reason: string): UserError {
  return new UserError(`The archive was refused: ${reason}.`, { code: "skill_bundle_refused" });
}
