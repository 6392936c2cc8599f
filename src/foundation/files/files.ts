import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  read,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { systemErrorCode, UserError } from "../errors.ts";

/*
 * Small steps on files are taken on this thread: each takes microseconds, and handing it to another thread and back
 * takes ten times as long, which a start pays dozens of times. What may take long is handed over: more than
 * `shortBytes`, and waiting for the disk.
 */
const shortBytes = 262_144;

export { withFileLock } from "./file-lock.ts";

import { makeFolders } from "./make-folders.ts";

export interface WriteOptions {
  /** Permission bits; without it an existing file keeps its own and a new one gets the user's default. */
  readonly mode?: number;
  /** Whether to wait until the bytes are on the disk (default true). */
  readonly fsync?: boolean;
  /** False: a link at the path itself is replaced, and the folder is taken as it is named (default true). */
  readonly followsLinks?: boolean;
}

/**
 * Replaces a file in one step: a reader sees the old content or the new, never a part. Writes
 * through a symbolic link to the file it names and leaves the link in place, unless told not to.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const followsLinks = options.followsLinks ?? true;
  const target = followsLinks ? followLinks(path) : path;
  const existing = followsLinks ? statOrUndefined(target) : fileOrUndefined(target);
  const folder = dirname(target);
  const temporary = join(folder, `.${basename(target).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);
  const mode = options.mode ?? (existing === undefined ? undefined : existing.mode & 0o7777);
  const shouldSync = options.fsync ?? true;
  try {
    using file = opened(openSync(temporary, "wx", mode ?? 0o666));
    // The mode given to `open` is reduced by the umask; this one is exact.
    if (mode !== undefined) fchmodSync(file.descriptor, mode);
    keepOwner(file.descriptor, existing);
    if (data.length <= shortBytes) writeFileSync(file.descriptor, data);
    else await promisify(writeFile)(file.descriptor, data);
    if (shouldSync) await promisify(fsync)(file.descriptor);
  } catch (error) {
    unlinkIfPresent(temporary);
    throw error;
  }
  try {
    renameSync(temporary, target);
  } catch (error) {
    unlinkIfPresent(temporary);
    throw error;
  }
  if (shouldSync) await syncFolder(folder);
}

function opened(descriptor: number): Disposable & { readonly descriptor: number } {
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

const maxLinks = 40;

/** The path a write has to replace: behind every link, also one whose target does not exist yet. */
function followLinks(path: string): string {
  let current = resolve(path);
  for (let hop = 0; hop < maxLinks; hop += 1) {
    try {
      return realpathSync.native(current);
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") throw error;
    }
    const next = linkTarget(current);
    if (next === undefined) return current;
    current = next;
  }
  throw new UserError(`Too many symbolic links at ${path}.`, {
    hint: "Remove the link and try again.",
    code: "file_link_loop",
  });
}

function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EINVAL" || code === "ENOENT") return undefined;
    throw error;
  }
}

/** A file edited by root stays its owner's; an ordinary user cannot give files away, and need not. */
function keepOwner(descriptor: number, existing: Stats | undefined): void {
  if (existing === undefined || process.getuid?.() !== 0) return;
  fchownSync(descriptor, existing.uid, existing.gid);
}

function statOrUndefined(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function fileOrUndefined(path: string): Stats | undefined {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts?.isSymbolicLink() === true ? undefined : facts;
}

function unlinkIfPresent(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}

/** Makes the rename itself durable. Some file systems cannot sync a folder; then the rename is as durable as they make it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    using file = opened(openSync(folder, "r"));
    await promisify(fsync)(file.descriptor);
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
  const descriptor = openForReading(path);
  if (descriptor === undefined) return undefined;
  using file = opened(descriptor);
  const facts = fstatSync(file.descriptor);
  if (!facts.isFile()) throw new UserError(`${path} is not a regular file.`, { code: "file_not_regular" });
  const { maxBytes } = limits;
  return new TextDecoder().decode(await readUpTo(file.descriptor, path, { maxBytes, expected: facts.size }));
}

function openForReading(path: string): number | undefined {
  try {
    // Most files that are asked for are not there, and an error that is thrown costs more than a look.
    if (statOrUndefined(path) === undefined) return undefined;
    // Non-blocking: opening a named pipe nobody writes to would otherwise wait for ever.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Counts what arrives instead of trusting the size: some files grow, and those of /proc claim to be empty. */
async function readUpTo(
  descriptor: number,
  path: string,
  { maxBytes, expected }: { readonly maxBytes: number; readonly expected: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const likely = Math.max(expected - total + 1, 4_000);
    const chunk = Buffer.allocUnsafe(Math.min(65_536, maxBytes - total + 1, likely));
    const bytesRead = total < shortBytes ? readSync(descriptor, chunk) : await readLater(descriptor, chunk);
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

async function readLater(descriptor: number, chunk: Buffer): Promise<number> {
  return (await promisify(read)(descriptor, chunk, 0, chunk.length, null)).bytesRead;
}

/** Creates a folder and its parents; an existing one is left as it is. */
export async function ensureDir(path: string, mode?: number): Promise<void> {
  makeFolders(path, mode);
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
  const realPath = realPathOf(path);
  if (!isInside(realPathOf(resolve(root)), realPath)) throw leavesRoot(root, parts);
  return realPath;
}

/** The real path of what exists, with the rest appended as written. */
function realPathOf(path: string): string {
  const target = followLinks(path);
  const parent = dirname(target);
  if (parent === target || statOrUndefined(target) !== undefined) return target;
  return join(realPathOf(parent), basename(target));
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
