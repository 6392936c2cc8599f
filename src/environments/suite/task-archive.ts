import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { type TarEntry, TarError, tarEntries } from "#foundation/files/tar";

const largestArchive = 512 * 1024 * 1024;
/** Names of entries that are too long for a header, and facts for other programs. */
const notes = new Set(["g", "x"]);

/**
 * Unpacks a task's archive (base64 of a tar.gz) below a folder. Only files and folders with ordinary names are taken; one that
 * is anything else refuses the whole archive, and nothing is written outside the folder.
 */
export async function unpackArchive(base64: string, folder: string): Promise<void> {
  const entries = [...read(base64)].filter(({ type }) => !notes.has(type));
  // All of them are looked at before the first is written.
  const checked = entries.map((entry) => ({ entry, names: ordinaryNames(entry) }));
  for (const { entry, names } of checked) {
    const target = path.join(folder, ...names);
    if (entry.type === "5") {
      await mkdir(target, { recursive: true });
      continue;
    }
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, entry.bytes);
    await chmod(target, entry.mode & 0o777 || 0o644);
  }
}

function* read(base64: string): Generator<TarEntry, void> {
  const packed = Buffer.from(base64, "base64");
  const isPacked = packed[0] === 0x1f && packed[1] === 0x8b;
  try {
    yield* tarEntries(isPacked ? gunzipSync(packed, { maxOutputLength: largestArchive }) : packed);
  } catch (error) {
    throw refused(error instanceof TarError ? error.message : "it is damaged or too large");
  }
}

function ordinaryNames({ path: name, type }: TarEntry): readonly string[] {
  if (type !== "0" && type !== "5") throw refused(`${JSON.stringify(name)} is neither a file nor a folder`);
  const plain = name.replaceAll("\\", "/");
  if (plain.startsWith("/") || /^[A-Za-z]:/.test(plain)) throw refused(`${JSON.stringify(name)} is an absolute path`);
  const names = plain.split("/").filter((name) => name !== "." && name !== "");
  if (names.includes("..")) throw refused(`${JSON.stringify(name)} leads out of its folder`);
  if (names.length === 0 && type === "0") throw refused("an entry has no name");
  return names;
}

function refused(reason: string): Error {
  return new Error(`The archive of the task was refused: ${reason}.`);
}
