import { mkdir, readFile, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, systemErrorCode, UserError } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";

/**
 * A lock between processes that is a directory, because creating one is atomic everywhere and because
 * programs that lock with a file of a similar name must not stand in the way.
 *
 * 1. Who creates the directory holds the lock. It is held for milliseconds.
 * 2. One that is older than `staleMs` was left by a process that died, and may be removed; that happens under a
 *    second directory (`<path>.recover`), after looking again, so that no two waiters remove one after the other.
 * 3. A holder that was suspended so long that it lost the lock notices: {@link LockHold.isOurs} is asked before writing.
 */
export interface LockOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly staleMs?: number;
}

export interface LockHold {
  isOurs(): Promise<boolean>;
}

const defaultTimeoutMs = 5_000;
const defaultStaleMs = 10_000;
const shortestPauseMs = 20;
const longestPauseMs = 100;

export async function withLockDirectory<T>(
  path: string,
  work: (hold: LockHold) => Promise<T>,
  options: LockOptions,
): Promise<T> {
  await acquire(path, options);
  const mark = await markOf(path);
  const isOurs = async (): Promise<boolean> => mark !== undefined && (await markOf(path)) === mark;
  try {
    return await work({ isOurs });
  } finally {
    if (await isOurs()) await removeDirectory(path);
  }
}

async function acquire(path: string, options: LockOptions): Promise<void> {
  const { clock, signal } = options;
  const staleMs = options.staleMs ?? defaultStaleMs;
  const giveUpAtMs = clock.now() + (options.timeoutMs ?? defaultTimeoutMs);
  for (;;) {
    signal.throwIfAborted();
    if (await createDirectory(path)) return;
    if (await removeIfStale(path, { clock, staleMs })) continue;
    if (clock.now() >= giveUpAtMs) {
      throw new UserError(`${path} is held by another process.`, {
        hint: "Try again in a moment. If no other Hermes is running, remove that folder.",
        code: "memory_lock_timeout",
      });
    }
    await clock.sleep(shortestPauseMs + Math.random() * (longestPauseMs - shortestPauseMs), signal);
  }
}

async function createDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EEXIST") return false;
    if (code !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return false;
  }
}

/** True when the way may be free now. */
async function removeIfStale(path: string, age: { readonly clock: Clock; readonly staleMs: number }): Promise<boolean> {
  if (!(await isStale(path, age))) return false;
  const guard = `${path}.recover`;
  if (!(await createDirectory(guard))) {
    if (await isStale(guard, age)) await removeDirectory(guard);
    return false;
  }
  try {
    if (!(await isStale(path, age))) return false;
    await removeDirectory(path);
    return true;
  } finally {
    await removeDirectory(guard);
  }
}

async function isStale(path: string, age: { readonly clock: Clock; readonly staleMs: number }): Promise<boolean> {
  try {
    return age.clock.now() - (await stat(path)).mtimeMs > age.staleMs;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Tells this directory from a later one at the same place: numbers are given out again, moments are not. */
async function markOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    return `${ino}:${mtimeNs}`;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function removeDirectory(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}

const maxBytes = 1_048_576;

/**
 * The text of a file of ours, "" when there is none. A file that exists and cannot be read as text is an error and
 * never counts as empty: writing afterwards would destroy what a person put there.
 */
export async function readOwnText(path: string): Promise<string> {
  try {
    const text = (await readTextFile(path, { maxBytes })) ?? "";
    // A replacement character may have been written on purpose, or stand for bytes that are no UTF-8.
    if (text.includes("\uFFFD")) new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
    return text;
  } catch (error) {
    throw new UserError(`${path} cannot be read: ${reasonOf(error)}.`, {
      hint: "Repair it or move it away; nothing is written to it until then.",
      code: "memory_unreadable",
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  if (systemErrorCode(error) === "ERR_ENCODING_INVALID_ENCODED_DATA") return "it is not UTF-8 text";
  return describe(error).replace(/\.$/, "");
}

/** One line of a file of JSON lines; a line we cannot read is kept as it is. */
export interface JsonLine<T> {
  readonly raw: string;
  readonly record: T | undefined;
}

export function readLines<T>(
  text: string,
  read: (record: Readonly<Record<string, unknown>>) => T | undefined,
): readonly JsonLine<T>[] {
  return text
    .split("\n")
    .filter((raw) => raw.trim() !== "")
    .map((raw) => {
      const parsed = parseJson(raw);
      return { raw, record: parsed.ok && isRecord(parsed.value) ? read(parsed.value) : undefined };
    });
}

export function writeLines(raws: readonly string[]): string {
  return raws.map((raw) => `${raw}\n`).join("");
}
