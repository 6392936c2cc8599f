import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, systemErrorCode } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { never, onAbort } from "#foundation/lifecycle/abort";
import { truncateEnd } from "#foundation/text/text";
import type { Clock } from "#foundation/time/clock";
import { within } from "./bounded.ts";
import { readLines, readOwnText, withLockDirectory, writeLines } from "./locked-files.ts";

export interface SyncQueueDeps {
  sync(turn: UnsyncedTurn, signal: AbortSignal): void | Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const longestWaitMs = 5_000;
const maxOpen = 100;

/**
 * Hands turns to a provider one after the other, and to nobody's delay: a turn waits at most five seconds for the one
 * before it. What failed or never ended stays open.
 */
export class SyncQueue {
  readonly #deps: SyncQueueDeps;
  readonly #open = new Set<UnsyncedTurn>();
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #last: Promise<void> = Promise.resolve();

  constructor(deps: SyncQueueDeps) {
    this.#deps = deps;
  }

  /** The turns that are not synced, oldest first. */
  get open(): readonly UnsyncedTurn[] {
    return [...this.#open];
  }

  /** Returns at once. */
  push(turn: UnsyncedTurn): void {
    this.#open.add(turn);
    const oldest = this.#open.values().next().value;
    if (this.#open.size > maxOpen && oldest !== undefined) {
      this.#open.delete(oldest);
      this.#deps.logger.warn("memory provider is too slow; an old turn is not synced", { sessionId: oldest.sessionId });
    }
    const running = this.#run(turn, this.#last);
    this.#last = running;
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }

  /** Waits for what runs, at most `timeoutMs`; then tells it to stop. */
  async close(timeoutMs: number): Promise<void> {
    const { clock, logger } = this.#deps;
    try {
      await within(() => this.#settled(), { clock, timeoutMs, signal: never });
    } catch (error) {
      logger.warn("memory provider did not finish in time", { open: this.#open.size, reason: describe(error) });
    } finally {
      this.#stop.abort();
    }
  }

  async #settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run(turn: UnsyncedTurn, previous: Promise<void>): Promise<void> {
    const { clock, logger, sync } = this.#deps;
    await within(() => previous, { clock, timeoutMs: longestWaitMs, signal: never }).catch(() => {
      logger.debug("a sync starts beside one that still runs");
    });
    if (this.#stop.signal.aborted || !this.#open.has(turn)) return;
    // A signal for each, because providers may add listeners and never take them away.
    const own = new AbortController();
    using _stop = onAbort(this.#stop.signal, (reason) => own.abort(reason));
    try {
      await sync(turn, own.signal);
      this.#open.delete(turn);
    } catch (error) {
      logger.warn("memory provider failed", { call: "syncTurn", reason: describe(error) });
    }
  }
}

/** A turn its provider has not taken in yet. */
export interface UnsyncedTurn {
  readonly sessionId: string;
  readonly user: string;
  readonly assistant: string;
}

const maxTurns = 100;
/** Of each side; 100 turns of both sides stay below the size that is read back. */
const maxChars = 1_200;
/** A replay is over long before; one that is older belonged to a process that died. */
const abandonedMs = 600_000;

/**
 * `HERMES_HOME/<provider>/pending.jsonl`: turns that could not be synced before the program ended.
 *
 * 1. `take` moves them to `replaying.jsonl`, so that no two processes replay the same turn.
 * 2. They leave that file only when `keep` has written what is still open, so a crash repeats and never loses.
 */
export class UnsyncedTurns {
  readonly #folder: string;
  readonly #clock: Clock;
  #holdsReplay = false;

  constructor(options: { readonly folder: string; readonly clock: Clock }) {
    this.#folder = options.folder;
    this.#clock = options.clock;
  }

  /** The turns to replay, oldest first; empty when another process is at it. */
  async take(signal: AbortSignal): Promise<readonly UnsyncedTurn[]> {
    if (!(await exists(this.#pending)) && !(await exists(this.#replaying))) return [];
    return this.#exclusively(async () => {
      if (await this.#isReplayRunning()) return [];
      const turns = newest([...(await read(this.#replaying)), ...(await read(this.#pending))]);
      await write(this.#replaying, turns);
      await rm(this.#pending, { force: true });
      this.#holdsReplay = true;
      return turns;
    }, signal);
  }

  /** Keeps what is open for the next start, and ends the replay. */
  async keep(open: readonly UnsyncedTurn[], signal: AbortSignal): Promise<void> {
    if (open.length === 0 && !this.#holdsReplay) return;
    await this.#exclusively(async () => {
      if (open.length > 0) await write(this.#pending, newest([...(await read(this.#pending)), ...open]));
      if (this.#holdsReplay) await rm(this.#replaying, { force: true });
      this.#holdsReplay = false;
    }, signal);
  }

  get #pending(): string {
    return join(this.#folder, "pending.jsonl");
  }

  get #replaying(): string {
    return join(this.#folder, "replaying.jsonl");
  }

  async #isReplayRunning(): Promise<boolean> {
    const since = await modifiedMs(this.#replaying);
    return since !== undefined && this.#clock.now() - since < abandonedMs;
  }

  async #exclusively<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await ensureDir(this.#folder, 0o700);
    return withLockDirectory(join(this.#folder, "pending.lockdir"), work, { clock: this.#clock, signal });
  }
}

function newest(turns: readonly UnsyncedTurn[]): readonly UnsyncedTurn[] {
  return turns.slice(-maxTurns);
}

async function read(path: string): Promise<readonly UnsyncedTurn[]> {
  return readLines(await readOwnText(path), toTurn).flatMap(({ record }) => record ?? []);
}

function toTurn(record: Readonly<Record<string, unknown>>): UnsyncedTurn | undefined {
  const { session_id: sessionId, user, assistant } = record;
  if (typeof sessionId !== "string" || typeof user !== "string" || typeof assistant !== "string") return undefined;
  return { sessionId, user, assistant };
}

async function write(path: string, turns: readonly UnsyncedTurn[]): Promise<void> {
  const lines = turns.map(({ sessionId, user, assistant }) =>
    JSON.stringify({
      session_id: sessionId,
      user: truncateEnd(user, maxChars),
      assistant: truncateEnd(assistant, maxChars),
    }),
  );
  await writeFileAtomic(path, writeLines(lines), { mode: 0o600 });
}

async function exists(path: string): Promise<boolean> {
  return (await modifiedMs(path)) !== undefined;
}

async function modifiedMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
