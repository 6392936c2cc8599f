import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { UserError } from "#foundation/errors";
import { safeJoin } from "#foundation/files/files";

/** Hard limits of a download; the guard complains long before. */
export const bundleLimits = { files: 200, fileBytes: 2 * 1_048_576, totalBytes: 8 * 1_048_576 } as const;

/**
 * Gathers the files of a download. Invariants: every path is relative, has only ordinary parts, and
 * no two differ by case alone; counts and sizes are bounded before anything is kept.
 */
export class BundleFiles {
  readonly #files = new Map<string, Uint8Array>();
  readonly #seen = new Set<string>();
  #totalBytes = 0;

  add(path: string, bytes: Uint8Array): void {
    const fault = bundlePathFault(path);
    if (fault !== undefined) throw refused(`${JSON.stringify(path.slice(0, 120))} ${fault}`);
    const folded = path.toLowerCase().normalize("NFC");
    if (this.#seen.has(folded)) throw refused(`${JSON.stringify(path)} occurs twice`);
    this.#seen.add(folded);
    this.#totalBytes += bytes.length;
    if (this.#files.size >= bundleLimits.files) throw refused(`it has more than ${bundleLimits.files} files`);
    if (bytes.length > bundleLimits.fileBytes) throw refused(`${path} has more than ${bundleLimits.fileBytes} bytes`);
    if (this.#totalBytes > bundleLimits.totalBytes) throw refused(`it has more than ${bundleLimits.totalBytes} bytes`);
    this.#files.set(path, bytes);
  }

  get files(): ReadonlyMap<string, Uint8Array> {
    return this.#files;
  }
}

/** Why a path from outside is not written, or undefined. */
export function bundlePathFault(path: string): string | undefined {
  if (path === "" || path.length > 240) return "is empty or too long";
  if (/\p{Cc}/u.test(path) || path.includes("\\") || path.includes(":"))
    return "contains characters no file name should have";
  if (path.startsWith("/") || path.startsWith("~")) return "is an absolute path";
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return "leads out of its folder";
  if (parts.some((part) => part === ".git" || /[. ]$/.test(part))) return "is not a name a skill may use";
  return parts.length > 8 ? "is nested too deeply" : undefined;
}

function refused(reason: string): UserError {
  return new UserError(`The download was refused: ${reason}.`, { code: "skill_bundle_refused" });
}

/** Writes a bundle below a fresh folder, as plain files nobody can run. */
export async function writeBundle(files: ReadonlyMap<string, Uint8Array>, folder: string): Promise<void> {
  for (const [path, bytes] of files) {
    const target = safeJoin(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes, { flag: "wx", mode: 0o644 });
  }
}
