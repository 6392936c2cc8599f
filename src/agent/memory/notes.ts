import { join } from "node:path";
import { UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import { KeyedMutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";
import { type Decision, decide, joinEntries, type MemoryTarget, type NoteChange, splitEntries } from "./entries.ts";
import { readOwnText, withLockDirectory } from "./locked-files.ts";

/** What the configuration says about one file. */
export interface NotesSettings {
  readonly isEnabled: boolean;
  readonly limit: number;
}

export interface NotesOptions {
  /** `HERMES_HOME/memories`. */
  readonly folder: string;
  readonly settings: Readonly<Record<MemoryTarget, NotesSettings>>;
  readonly clock: Clock;
}

const fileNames: Readonly<Record<MemoryTarget, string>> = { memory: "MEMORY.md", user: "USER.md" };

/**
 * `MEMORY.md` and `USER.md`. Several agents of one process and several processes may write at once:
 *
 * 1. A change reads the file again under the lock, so it never works on what somebody else has replaced.
 * 2. The file is replaced in one step; readers take no lock and see the old text or the new.
 * 3. A file that cannot be read is never written.
 */
export class Notes {
  readonly settings: Readonly<Record<MemoryTarget, NotesSettings>>;
  readonly #folder: string;
  readonly #clock: Clock;
  /** Callers of one process queue here in order, and only one of them competes for the lock on disk. */
  readonly #queue = new KeyedMutex<MemoryTarget>();

  constructor(options: NotesOptions) {
    this.settings = options.settings;
    this.#folder = options.folder;
    this.#clock = options.clock;
  }

  pathOf(target: MemoryTarget): string {
    return join(this.#folder, fileNames[target]);
  }

  async read(target: MemoryTarget): Promise<readonly string[]> {
    return splitEntries(await readOwnText(this.pathOf(target)));
  }

  /** What the change would come to now. */
  async preview(target: MemoryTarget, change: NoteChange): Promise<Decision> {
    return decide(await this.read(target), change, this.settings[target].limit);
  }

  change(target: MemoryTarget, change: NoteChange, signal: AbortSignal): Promise<Decision> {
    const path = this.pathOf(target);
    const lock = { clock: this.#clock, signal };
    const work = (): Promise<Decision> =>
      withLockDirectory(
        `${path}.lockdir`,
        async (hold) => {
          const decision = await this.preview(target, change);
          if (decision.kind !== "write") return decision;
          if (!(await hold.isOurs())) throw lostLock(path);
          await writeFileAtomic(path, joinEntries(decision.entries));
          return decision;
        },
        lock,
      );
    return this.#queue.run(target, work, signal);
  }
}

function lostLock(path: string): UserError {
  return new UserError(`${path} was taken over by another process while this one stood still; nothing was written.`, {
    hint: "Make the change again.",
    code: "memory_lock_lost",
  });
}
