import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { readTextFile, writeFileAtomic } from "#foundation/files/files";

const keyBytes = 32;
const longestMs = 30 * 86_400_000;

/**
 * What the proofs of pages are derived from, kept in the home so that the next start knows it, too. Only its owner may read it; one
 * that anybody else could have read, that is damaged or that is a month old is made anew, and pages of before have to be opened anew.
 */
export async function readReturnKey(file: string, nowMs: number): Promise<Buffer> {
  const kept = Buffer.from((await readTextFile(file, { maxBytes: 1000 })) ?? "", "base64url");
  if (kept.length === keyBytes) {
    const { mode, mtimeMs } = await stat(file);
    const isPrivate = process.platform === "win32" || (mode & 0o077) === 0;
    if (isPrivate && nowMs - mtimeMs < longestMs) return kept;
  }
  const key = randomBytes(keyBytes);
  await writeFileAtomic(file, key.toString("base64url"), { mode: 0o600 });
  return key;
}
