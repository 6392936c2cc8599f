import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/logger";
import type { OffloadedWork } from "./offloaded-work.ts";

const writesPerCheckpoint = 50;
const messagesPerIndexing = 200;

/**
 * What happens behind the writes: the log is copied into the file every so many commits, and new messages
 * go into the substring index. Both run on the database thread, one at a time, and may fail without harm.
 */
export class Housekeeping implements AsyncDisposable {
  readonly #work: OffloadedWork;
  readonly #log: Logger;
  #writes = 0;
  #unindexed = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(work: OffloadedWork, log: Logger) {
    this.#work = work;
    this.#log = log;
  }

  onCommit(): void {
    this.#writes += 1;
    if (this.#writes >= writesPerCheckpoint) this.#wake();
  }

  onAppended(count: number): void {
    this.#unindexed += count;
    if (this.#unindexed >= messagesPerIndexing) this.#wake();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.settled();
  }

  #wake(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    this.#running = this.#tidy().finally(() => {
      this.#running = undefined;
    });
  }

  async #tidy(): Promise<void> {
    try {
      if (this.#unindexed >= messagesPerIndexing) {
        this.#unindexed = 0;
        await this.#work.task("index-pending", {});
      }
      if (this.#writes >= writesPerCheckpoint) {
        this.#writes = 0;
        await this.#work.task("checkpoint", { mode: "PASSIVE" });
      }
    } catch (error) {
      // The next round tries again; closing the store ends the work under way, which is no fault.
      if (!this.#isClosed) this.#log.warn("housekeeping of the session database failed", { cause: describe(error) });
    }
  }
}
