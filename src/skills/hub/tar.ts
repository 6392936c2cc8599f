import { UserError } from "#foundation/errors";
import { TarError, tarEntries } from "#foundation/files/tar";
import { BundleFiles, bundleLimits } from "./bundle.ts";

const block = 512;
/** Headers and padding come on top of what a bundle may hold. */
const maxArchiveBytes = bundleLimits.totalBytes + 4 * block * bundleLimits.files;
const skipped = new Set(["5", "g", "x"]);

/** The files of a tar archive, packed with gzip or not. Links and devices are refused; nothing is written. */
export function untar(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const gathered = new BundleFiles();
  try {
    for (const { path, type, bytes: content } of tarEntries(unpacked(bytes))) {
      if (type === "0") gathered.add(path.replace(/^\.\//, ""), content);
      else if (!skipped.has(type)) throw broken(`${JSON.stringify(path)} is neither a file nor a folder`);
    }
  } catch (error) {
    throw error instanceof TarError ? broken(error.message) : error;
  }
  return gathered.files;
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
