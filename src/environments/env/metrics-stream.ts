import { appendFile } from "node:fs/promises";
import { mean } from "../statistics.ts";
import type { Attempt } from "./attempt.ts";
import type { ScoredItem } from "./environment.ts";
import type { EnvironmentRun } from "./environment-run.ts";

/** Figures of a run while it goes on, one line for each group: whoever draws curves reads along. */
export class MetricsStream {
  readonly #file: string;
  readonly #run: EnvironmentRun;
  /** Before each name, where several environments share a trainer. */
  readonly #prefix: string;
  readonly #limit: number | undefined;
  readonly #results: ScoredItem<unknown>[] = [];
  #step = 0;

  constructor(
    run: EnvironmentRun,
    at: { readonly file: string; readonly prefix?: string; readonly maxTokens?: number | undefined },
  ) {
    this.#file = at.file;
    this.#run = run;
    this.#prefix = at.prefix ?? "";
    this.#limit = at.maxTokens;
  }

  /** After a group; `more` is what only the caller knows. */
  async add(
    group: {
      readonly item: unknown;
      readonly attempts: readonly Attempt[];
      readonly notes: Readonly<Record<string, number>>;
    },
    more: Readonly<Record<string, number>> = {},
  ): Promise<void> {
    const { item, attempts } = group;
    this.#results.push(
      ...attempts.map(({ reward, error, result, details }) => ({ item, reward, error, result, details })),
    );
    this.#step += 1;
    const { environment, runId, rollouts } = this.#run;
    const metrics = {
      ...lengths(attempts, this.#limit),
      ...durations(attempts),
      ...environment.trainMetrics?.(this.#results),
      ...group.notes,
      ...more,
    };
    this.#run.tell?.({ event: "metrics", metrics });
    const named = Object.fromEntries(Object.entries(metrics).map(([name, value]) => [`${this.#prefix}${name}`, value]));
    const time = new Date(rollouts.host.machine.clock.now()).toISOString();
    await appendFile(this.#file, `${JSON.stringify({ run: runId, step: this.#step, time, ...named })}\n`);
  }
}

/** Of what the models wrote; `_p95` is the share that comes near the trainer's limit. */
function lengths(attempts: readonly Attempt[], limit: number | undefined): Readonly<Record<string, number>> {
  const all = attempts.map(({ sequence }) => sequence.tokens.length);
  const { mean: average, ...others } = spread(all);
  const near = limit === undefined || limit <= 0 ? undefined : mean(all.map((one) => (one > limit * 0.95 ? 1 : 0)));
  return {
    "train/completion_lengths": average,
    ...named("train/completion_lengths", others),
    ...(near === undefined ? {} : { "train/completion_lengths_p95": near }),
  };
}

function durations(attempts: readonly Attempt[]): Readonly<Record<string, number>> {
  const seconds = (some: readonly Attempt[]): readonly number[] => some.map((one) => one.seconds);
  const good = attempts.filter(({ error }) => error === undefined);
  const bad = attempts.filter(({ error }) => error !== undefined);
  return {
    ...named("train_perf/task_duration", spread(seconds(attempts))),
    ...(good.length === 0 ? {} : named("train_perf/succeeded_task_duration", spread(seconds(good)))),
    ...(bad.length === 0 ? {} : named("train_perf/failed_task_duration", spread(seconds(bad)))),
  };
}

function spread(values: readonly number[]) {
  const average = mean(values);
  return {
    mean: average,
    std: Math.sqrt(mean(values.map((one) => (one - average) ** 2))),
    max: values.length === 0 ? 0 : Math.max(...values),
    min: values.length === 0 ? 0 : Math.min(...values),
  };
}

function named(name: string, figures: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [`${name}_${key}`, value]));
}
