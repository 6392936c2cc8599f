import { describe, HermesError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { linkSignals, never } from "#foundation/lifecycle/abort";
import { type HeavyWork, type HeavyWorkOptions, inlineLimitMs } from "../work/heavy-work.ts";
import { InlineWork } from "../work/inline-work.ts";
import type { WorkInput, WorkName, WorkOutput } from "../work/table.ts";
import { performTask, type TaskContext, type TaskInput, type TaskName, type TaskOutput } from "./tasks.ts";
import type { WorkerThread } from "./worker-thread.ts";

export interface OffloadedWorkOptions extends Omit<TaskContext, "signal"> {
  readonly thread: WorkerThread;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Small work here, large work on the database thread; everything here when that thread cannot be had. */
export class OffloadedWork implements HeavyWork {
  readonly #options: OffloadedWorkOptions;
  readonly #inline: InlineWork;
  #hasWarned = false;

  constructor(options: OffloadedWorkOptions) {
    this.#options = options;
    this.#inline = new InlineWork(options);
  }

  async run<N extends WorkName>(name: N, input: WorkInput<N>, options: HeavyWorkOptions): Promise<WorkOutput<N>> {
    const signal = linkSignals(this.#options.signal, options.signal);
    if (options.weightMs <= inlineLimitMs) return await this.#inline.run(name, input, { ...options, signal });
    try {
      return await this.#options.thread.work(name, input, signal);
    } catch (error) {
      this.#refuseUnlessMissing(error);
      return await this.#inline.run(name, input, { ...options, signal });
    }
  }

  async task<N extends TaskName>(name: N, input: TaskInput<N>, signal: AbortSignal = never): Promise<TaskOutput<N>> {
    const linked = linkSignals(this.#options.signal, signal);
    try {
      return await this.#options.thread.task(name, input, linked);
    } catch (error) {
      this.#refuseUnlessMissing(error);
      return await performTask({ ...this.#options, signal: linked }, name, input);
    }
  }

  #refuseUnlessMissing(error: unknown): void {
    if (!(error instanceof HermesError) || error.code !== "store_worker_missing") throw error;
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.log.warn("long database work runs on the main thread", { cause: describe(error) });
  }
}
