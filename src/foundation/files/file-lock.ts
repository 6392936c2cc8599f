import { randomBytes } from "node:crypto";
import { closeSync, openSync, readFileSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { defined } from "../defined.ts";
import { systemErrorCode, UserError } from "../errors.ts";
import { deadline, linkSignals, sleep } from "../lifecycle/abort.ts";
import { isRecord, parseJson } from "../text/json.ts";
import { makeFolders } from "./make-folders.ts";

/**
 * An advisory lock between processes: a file that only one of them can create. Invariants:
 *
 * 1. The file names its owner (process, start of that process, machine, random token); only the
 *    owner removes it, except
 * 2. when the owner is gone: its process does not exist any more, or its number belongs to a later
 *    process, or it runs on another machine and has not renewed the file for `staleMs`.
 * 3. Removing another's file happens under a second lock (`<path>.recover`), after looking again, so
 *    that two waiters cannot both remove: the second would take away the first one's new lock.
 *
 * The steps on the file are taken on this thread (see `files.ts`); only waiting waits.
 */
export interface FileLockOptions {
  readonly signal: AbortSignal;
  /** How long to wait for the lock (default 30 s). */
  readonly timeoutMs?: number;
  /** After how long without a sign of life an owner on another machine counts as gone (default 60 s). */
  readonly staleMs?: number;
}

interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
  /** The kernel's start time of the process, where it tells. A number that was given out again differs here. */
  readonly started?: string;
}

/** An owner writes its name right after creating the file; one that stays nameless this long died in between. */
const namelessGraceMs = 5_000;

export async function withFileLock<T>(lockPath: string, work: () => Promise<T>, options: FileLockOptions): Promise<T> {
  const staleMs = options.staleMs ?? 60_000;
  const owner: Owner = { ...thisProcess(), token: randomBytes(8).toString("hex") };
  options.signal.throwIfAborted();
  // Nearly always the way is free.
  if (!create(lockPath, owner)) await acquire(lockPath, owner, { ...options, staleMs });
  const renewing = setInterval(() => renew(lockPath), Math.max(50, staleMs / 3)).unref();
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    release(lockPath, owner);
  }
}

async function acquire(lockPath: string, owner: Owner, options: FileLockOptions & { staleMs: number }): Promise<void> {
  using limit = deadline(options.timeoutMs ?? 30_000);
  const signal = linkSignals(options.signal, limit.signal);
  for (let attempt = 0; ; attempt += 1) {
    options.signal.throwIfAborted();
    if (create(lockPath, owner)) return;
    if (removeIfStale(lockPath, options.staleMs)) continue;
    const pauseMs = Math.min(250, 10 * 1.5 ** Math.min(attempt, 20)) * (0.5 + Math.random());
    try {
      await sleep(pauseMs, signal);
    } catch (error) {
      if (options.signal.aborted || !limit.signal.aborted) throw error;
      throw heldTooLong(lockPath);
    }
  }
}

function create(lockPath: string, owner: Owner): boolean {
  try {
    const descriptor = openSync(lockPath, "wx", 0o600);
    try {
      writeFileSync(descriptor, JSON.stringify(owner));
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EEXIST") return false;
    if (code !== "ENOENT") {
      throw new UserError(`Cannot create the lock ${lockPath} (${code ?? "unknown error"}).`, {
        hint: `Check that ${dirname(lockPath)} is a folder you may write to.`,
        code: "lock_unavailable",
        cause: error,
      });
    }
    makeFolders(dirname(lockPath), 0o700);
    return false;
  }
}

/** True when the way is free again, because a dead owner's file was removed or vanished by itself. */
function removeIfStale(lockPath: string, staleMs: number): boolean {
  if (!isStale(lockPath, staleMs)) return false;
  const recovery = `${lockPath}.recover`;
  if (!create(recovery, { ...thisProcess(), token: "" })) {
    // Whoever recovers needs milliseconds; a guard older than the grace was left by one that died doing it.
    if (isStale(recovery, staleMs)) remove(recovery);
    return false;
  }
  try {
    if (!isStale(lockPath, staleMs)) return false;
    remove(lockPath);
    return true;
  } finally {
    remove(recovery);
  }
}

function isStale(lockPath: string, staleMs: number): boolean {
  try {
    const owner = readOwner(lockPath);
    const ageMs = Date.now() - statSync(lockPath).mtimeMs;
    if (owner === undefined) return ageMs > namelessGraceMs;
    if (owner.host !== hostname()) return ageMs > staleMs;
    return !isSameProcessAlive(owner);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

function readOwner(lockPath: string): Owner | undefined {
  const parsed = parseJson(readFileSync(lockPath, "utf8"));
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { pid, host, token, started } = parsed.value;
  if (typeof pid !== "number" || typeof host !== "string" || typeof token !== "string") return undefined;
  return { pid, host, token, ...(typeof started === "string" ? { started } : {}) };
}

function isSameProcessAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (systemErrorCode(error) === "ESRCH") return false;
    // EPERM: it exists and belongs to somebody else.
  }
  const started = startOf(owner.pid);
  return started === undefined || owner.started === undefined || started === owner.started;
}

function thisProcess(): Omit<Owner, "token"> {
  const started = startOf(process.pid);
  return { pid: process.pid, host: hostname(), ...defined({ started }) };
}

/** Start of a process in clock ticks since boot (field 22 of Linux's stat file); undefined elsewhere. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets and may itself hold spaces and brackets.
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** Shows waiters on other machines that the owner lives. */
function renew(lockPath: string): void {
  const now = new Date();
  try {
    utimesSync(lockPath, now, now);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}

function release(lockPath: string, owner: Owner): void {
  try {
    if (readOwner(lockPath)?.token === owner.token) remove(lockPath);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}

function heldTooLong(lockPath: string): UserError {
  const owner = ownerOrUndefined(lockPath);
  const holder = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
  return new UserError(`${lockPath} is still held by ${holder}.`, {
    hint: "Wait until that process is done, or end it if it hangs.",
    code: "lock_timeout",
    data: { lockPath, ...(owner === undefined ? {} : { pid: owner.pid, host: owner.host }) },
  });
}

/** For the message alone: it may be gone by now. */
function ownerOrUndefined(lockPath: string): Owner | undefined {
  try {
    return readOwner(lockPath);
  } catch {
    return undefined;
  }
}
