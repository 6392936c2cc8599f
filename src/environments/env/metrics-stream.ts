import { appendFile } from "node:fs/promises";
import { defined } from "#foundation/defined";
import { mean } from "../statistics.ts";
import type { Attempt } from "./attempt.ts";
import type { ScoredItem } from "./environment.ts";
import type { EnvironmentRun } from "./environment-run.ts";
import { rolloutText } from "./shown-rollout.ts";
import type { MetricsSink, ShownRollout } from "./wandb.ts";

interface StreamOptions {
  readonly file: string;
  /** Before each name, where several environments share a trainer. */
  readonly prefix?: string;
  /** The longest sequence the trainer takes. */
  readonly maxTokens?: number | undefined;
  /** Where curves are drawn as well. */
  readonly sink?: MetricsSink | undefined;
}

/** Figures of a run while it goes on, one line for each group: whoever draws curves reads along. */
export class MetricsStream {
  readonly #run: EnvironmentRun;
  readonly #options: StreamOptions;
  readonly #results: ScoredItem<unknown>[] = [];
  #step = 0;
  #unreported = 0;
  #latest: Readonly<Record<string, number>> = {};
  #rollouts: readonly ShownRollout[] = [];

  constructor(run: EnvironmentRun, options: StreamOptions) {
    this.#run = run;
    this.#options = options;
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
    const { prefix = "", maxTokens, file } = this.#options;
    this.#results.push(
      ...attempts.map(({ reward, error, result, details }) => ({ item, reward, error, result, details })),
    );
    this.#step += 1;
    this.#unreported += 1;
    const { environment, runId, rollouts } = this.#run;
    const metrics = {
      ...lengths(attempts, maxTokens),
      ...durations(attempts),
      ...this.#run.servers.figures(),
      ...environment.trainMetrics?.(this.#results),
      ...group.notes,
      ...more,
    };
    this.#run.tell?.({ event: "metrics", metrics });
    this.#latest = Object.fromEntries(Object.entries(metrics).map(([name, value]) => [`${prefix}${name}`, value]));
    this.#keepRollouts(attempts);
    const time = new Date(rollouts.host.machine.clock.now()).toISOString();
    await appendFile(file, `${JSON.stringify({ run: runId, step: this.#step, time, ...this.#latest })}\n`);
  }

  /** Sends the newest figures on, once enough groups have come since the last time. */
  async report(step: number, atLeast = 1): Promise<void> {
    const { sink } = this.#options;
    if (sink === undefined || this.#unreported < atLeast) return;
    const rollouts = this.#rollouts;
    this.#unreported = 0;
    this.#rollouts = [];
    await sink.report({ step, metrics: this.#latest, rollouts });
  }

  #keepRollouts(attempts: readonly Attempt[]): void {
    const { config, rollouts } = this.#run;
    const { num_rollouts_per_group_for_logging: each, num_rollouts_to_keep: most } = config;
    if (this.#options.sink === undefined) return;
    const shown = (each < 0 ? attempts : attempts.slice(0, each)).map(({ result, reward }) => ({
      text: rollouts.tools.redact(rolloutText(config.system_prompt ?? "", result?.messages ?? [])),
      score: reward,
    }));
    this.#rollouts = most > 0 ? [...this.#rollouts, ...shown].slice(-most) : [];
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
    ...defined({ "train/completion_lengths_p95": near }),
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
