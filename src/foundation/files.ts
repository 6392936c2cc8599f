import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { systemErrorCode, UserError } from "./errors.ts";

export { type FileLockOptions, withFileLock } from "./file-lock.ts";

export interface WriteOptions {
  /** Permission bits; without it an existing file keeps its own and a new one gets the user's default. */
  readonly mode?: number;
  /** Whether to wait until the bytes are on the disk (default true). */
  readonly fsync?: boolean;
}

/**
 * Replaces a file in one step: a reader sees the old content or the new, never a part. Writes
 * through a symbolic link to the file it names and leaves the link in place.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const target = await followLinks(path);
  const existing = await statOrUndefined(target);
  const folder = dirname(target);
  const temporary = join(folder, `.${basename(target).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);
  const mode = options.mode ?? (existing === undefined ? undefined : existing.mode & 0o7777);
  const shouldSync = options.fsync ?? true;
  try {
    await using file = await openHandle(temporary, mode);
    // The mode given to `open` is reduced by the umask; this one is exact.
    if (mode !== undefined) await file.handle.chmod(mode);
    await keepOwner(file.handle, existing);
    await file.handle.writeFile(data);
    if (shouldSync) await file.handle.sync();
  } catch (error) {
    await unlinkIfPresent(temporary);
    throw error;
  }
  try {
    await rename(temporary, target);
  } catch (error) {
    await unlinkIfPresent(temporary);
    throw error;
  }
  if (shouldSync) await syncFolder(folder);
}

async function openHandle(path: string, mode: number | undefined): Promise<AsyncDisposable & { handle: FileHandle }> {
  const handle = await open(path, "wx", mode ?? 0o666);
  return { handle, [Symbol.asyncDispose]: () => handle.close() };
}

const maxLinks = 40;

/** The path a write has to replace: behind every link, also one whose target does not exist yet. */
async function followLinks(path: string): Promise<string> {
  let current = resolve(path);
  for (let hop = 0; hop < maxLinks; hop += 1) {
    try {
      return await realpath(current);
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") throw error;
    }
    const next = await linkTarget(current);
    if (next === undefined) return current;
    current = next;
  }
  throw new UserError(`Too many symbolic links at ${path}.`, {
    hint: "Remove the link and try again.",
    code: "file_link_loop",
  });
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return resolve(dirname(path), await readlink(path));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EINVAL" || code === "ENOENT") return undefined;
    throw error;
  }
}

/** A file edited by root stays its owner's; an ordinary user cannot give files away, and need not. */
async function keepOwner(handle: FileHandle, existing: Stats | undefined): Promise<void> {
  if (existing === undefined || process.getuid?.() !== 0) return;
  await handle.chown(existing.uid, existing.gid);
}

async function statOrUndefined(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function unlinkIfPresent(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}

/** Makes the rename itself durable. Some file systems cannot sync a folder; then the rename is as durable as they make it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = systemErrorCode(error) ?? "";
    if (!["EINVAL", "ENOTSUP", "EPERM", "EISDIR", "EACCES"].includes(code)) throw error;
  }
}

/**
 * The text of a regular file, or undefined when there is none. Reads at most `maxBytes`; a larger
 * file, a folder or a device is a {@link UserError}. A byte order mark is dropped.
 */
export async function readTextFile(path: string, limits: { readonly maxBytes: number }): Promise<string | undefined> {
  const handle = await openForReading(path);
  if (handle === undefined) return undefined;
  try {
    if (!(await handle.stat()).isFile()) {
      throw new UserError(`${path} is not a regular file.`, { code: "file_not_regular" });
    }
    return new TextDecoder().decode(await readUpTo(handle, path, limits.maxBytes));
  } finally {
    await handle.close();
  }
}

async function openForReading(path: string): Promise<FileHandle | undefined> {
  try {
    // Non-blocking: opening a named pipe nobody writes to would otherwise wait for ever.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Counts what arrives instead of trusting the size: some files grow, and those of /proc claim to be empty. */
async function readUpTo(handle: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(65_536, maxBytes - total + 1));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > maxBytes) {
      throw new UserError(`${path} is larger than ${maxBytes} bytes.`, {
        hint: "Shorten the file or move it away.",
        code: "file_too_large",
        data: { path, maxBytes },
      });
    }
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

/** Creates a folder and its parents; an existing one is left as it is. */
export async function ensureDir(path: string, mode?: number): Promise<void> {
  await mkdir(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
}

/** A path below `root`, judged by its text alone; {@link resolveInside} also follows links. */
export function safeJoin(root: string, ...parts: readonly string[]): string {
  const base = resolve(root);
  const path = resolve(base, ...parts);
  if (parts.some((part) => part.includes("\0")) || !isInside(base, path)) throw leavesRoot(root, parts);
  return path;
}

/** Like {@link safeJoin}, and refuses a path that leaves `root` through a symbolic link. Gives the real path. */
export async function resolveInside(root: string, ...parts: readonly string[]): Promise<string> {
  const path = safeJoin(root, ...parts);
  const [realRoot, realPath] = await Promise.all([realPathOf(resolve(root)), realPathOf(path)]);
  if (!isInside(realRoot, realPath)) throw leavesRoot(root, parts);
  return realPath;
}

/** The real path of what exists, with the rest appended as written. */
async function realPathOf(path: string): Promise<string> {
  const target = await followLinks(path);
  const parent = dirname(target);
  if (parent === target || (await statOrUndefined(target)) !== undefined) return target;
  return join(await realPathOf(parent), basename(target));
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function leavesRoot(root: string, parts: readonly string[]): UserError {
  return new UserError(`The path ${JSON.stringify(parts.join("/"))} leaves ${root}.`, {
    hint: "Use a path below that folder.",
    code: "path_outside_root",
  });
}
