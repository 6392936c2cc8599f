import { stat } from "node:fs/promises";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { autoPrune } from "../auto-prune.ts";
import type { FsckReport } from "../records/report.ts";
import type { Aggregates, AutoPruneOptions, Maintenance } from "../store.ts";
import type { TaskInput, TaskName, TaskOutput } from "./tasks.ts";

/** Runs a task of the file, on whichever thread. */
interface TaskRunner {
  task<N extends TaskName>(name: N, input: TaskInput<N>, signal?: AbortSignal): Promise<TaskOutput<N>>;
}

export interface MaintenanceContext {
  readonly tasks: TaskRunner;
  readonly aggregates: Aggregates;
  readonly clock: Clock;
  readonly log: Logger;
}

export class SqliteMaintenance implements Maintenance {
  readonly #context: MaintenanceContext;

  constructor(context: MaintenanceContext) {
    this.#context = context;
  }

  async fsck(options: { repair?: boolean; signal?: AbortSignal } = {}): Promise<FsckReport> {
    return await this.#context.tasks.task("fsck", { repair: options.repair ?? false }, options.signal);
  }

  async backup(path: string, signal: AbortSignal): Promise<void> {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (isThere)
      throw new UserError(`There is a file at ${path} already.`, { hint: "Give another name.", code: "backup_exists" });
    await this.#context.tasks.task("backup", { target: path }, signal);
  }

  async compact(signal: AbortSignal): Promise<void> {
    await this.#context.tasks.task("compact", {}, signal);
  }

  async indexPending(signal: AbortSignal = never): Promise<number> {
    return await this.#context.tasks.task("index-pending", { onlyIfFree: false }, signal);
  }

  async autoPrune(options: AutoPruneOptions): Promise<number | undefined> {
    return await autoPrune({ ...this.#context, compact: (signal) => this.compact(signal) }, options);
  }
}
