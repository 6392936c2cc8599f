import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { ensureDir, writeFileAtomic } from "#foundation/files/files";
import { truncateEnd } from "#foundation/text/text";
import type { Clock } from "#foundation/time/clock";
import { readLines, writeLines } from "./json-lines.ts";
import { withLockDirectory } from "./lock-directory.ts";
import { readOwnText } from "./notes-file.ts";

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
