import { addCost, addUsage, type Cost, type Usage, zeroUsage } from "#conversation";
import type { AuxiliaryTask } from "./task.ts";

/** One side call that a provider counted, whether its answer was of use or not. */
export interface AuxiliaryRecord {
  readonly task: AuxiliaryTask;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly cost: Cost;
}

export interface TaskTotal {
  readonly calls: number;
  readonly usage: Usage;
  readonly cost: Cost;
  /** The model that answered last. */
  readonly model: string;
}

/** What side calls used and cost in this session, by task. */
export class AuxiliaryTotals {
  readonly #byTask = new Map<AuxiliaryTask, TaskTotal>();

  add(record: AuxiliaryRecord): void {
    const before = this.#byTask.get(record.task);
    this.#byTask.set(record.task, {
      calls: (before?.calls ?? 0) + 1,
      usage: addUsage(before?.usage ?? zeroUsage, record.usage),
      cost: before === undefined ? record.cost : addCost(before.cost, record.cost),
      model: record.model,
    });
  }

  get(task: AuxiliaryTask): TaskTotal | undefined {
    return this.#byTask.get(task);
  }

  all(): ReadonlyMap<AuxiliaryTask, TaskTotal> {
    return new Map(this.#byTask);
  }
}
