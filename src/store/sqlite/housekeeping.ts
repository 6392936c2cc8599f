import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { OffloadedWork } from "./offloaded-work.ts";

/**
 * What happens behind the writes: the log is copied into the file, and new messages go into the substring
 * index. Both become due after so many writes and wait for a quiet moment, because either one makes
 * writers of all processes wait for the disk; under pressure they come after many writes all the same.
 * They run on the database thread, one at a time, and may fail without harm.
 */
const writesPerCheckpoint = 50;
const messagesPerIndexing = 1_000;
const mostWritesWithout = 2_000;
const quietMs = 250;

export interface HousekeepingOptions {
  readonly work: Pick<OffloadedWork, "task">;
  readonly clock: Clock;
  readonly log: Logger;
  /** How many messages the substring index has not reached, whoever wrote them. */
  backlog(): Promise<number>;
  /** The store is closing: stop waiting and working. */
  readonly signal: AbortSignal;
}

export class Housekeeping implements AsyncDisposable {
  readonly #options: HousekeepingOptions;
  #commits = 0;
  #uncheckpointed = 0;
  #unindexed = 0;
  #isBacklogKnown = true;
  #running: Promise<void> | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  onCommit(): void {
    this.#commits += 1;
    this.#uncheckpointed += 1;
    this.#wakeWhenDue();
  }

  onAppended(count: number): void {
    this.#unindexed += count;
    this.#wakeWhenDue();
  }

  /** A search reads what is not indexed one by one; what short-lived processes have left is taken in after the first. */
  onSearched(): void {
    this.#isBacklogKnown = false;
    this.#wake();
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.settled();
  }

  get #isDue(): boolean {
    return this.#uncheckpointed >= writesPerCheckpoint || this.#unindexed >= messagesPerIndexing;
  }

  #wakeWhenDue(): void {
    if (this.#isDue) this.#wake();
  }

  #wake(): void {
    if (this.#running !== undefined || this.#options.signal.aborted) return;
    this.#running = this.#tidy().finally(() => {
      this.#running = undefined;
    });
  }

  async #tidy(): Promise<void> {
    const { work, log, signal } = this.#options;
    try {
      if (!this.#isBacklogKnown) {
        this.#isBacklogKnown = true;
        this.#unindexed = Math.max(this.#unindexed, await this.#options.backlog());
      }
      if (!this.#isDue) return;
      await this.#untilQuiet();
      if (this.#unindexed >= messagesPerIndexing) {
        this.#unindexed = 0;
        await work.task("index-pending", { onlyIfFree: true }, signal);
      }
      if (this.#uncheckpointed >= writesPerCheckpoint) {
        this.#uncheckpointed = 0;
        await work.task("checkpoint", { mode: "PASSIVE" }, signal);
      }
    } catch (error) {
      // The next round tries again; closing the store ends the work under way, which is no fault.
      if (!signal.aborted) log.warn("housekeeping of the session database failed", { cause: describe(error) });
    }
  }

  async #untilQuiet(): Promise<void> {
    const { clock, signal } = this.#options;
    for (;;) {
      const before = this.#commits;
      await clock.sleep(quietMs, signal);
      if (this.#commits === before || this.#uncheckpointed >= mostWritesWithout) return;
    }
  }
}
