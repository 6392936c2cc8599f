import { existsSync } from "node:fs";
import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { embedJson, localTimestamp, toShareGpt } from "#agent";
import { writeFileAtomic } from "#foundation/files/files";
import { toExact } from "#foundation/text/exact-json-text";
import { type ReportRow, reportPage } from "../report/page.ts";
import { histogram } from "../report/svg.ts";
import type { Attempt } from "./attempt.ts";
import type { AttemptedGroup, EnvironmentRun } from "./environment-run.ts";
import { groupMessages, type ScoredGroup } from "./group.ts";
import { MetricsStream } from "./metrics-stream.ts";
import type { MetricsSink } from "./wandb.ts";

export interface FinishedGroup {
  readonly index: number;
  readonly item: unknown;
  readonly attempted: AttemptedGroup;
  readonly scored: ScoredGroup;
}

/** What groups leave on disk: one line for each as a trainer would get it, the conversations beside it, and a page. */
export class GroupFiles {
  readonly file: string;
  readonly #run: EnvironmentRun;
  readonly #stem: string;
  readonly #metrics: MetricsStream;
  readonly #rows: ReportRow[] = [];
  readonly #rewards: number[] = [];
  #groups = 0;

  private constructor(file: string, run: EnvironmentRun, sink: MetricsSink | undefined) {
    this.file = file;
    this.#run = run;
    this.#stem = file.replace(/\.jsonl$/, "");
    this.#metrics = new MetricsStream(run, { file: path.join(path.dirname(file), "metrics_stream.jsonl"), sink });
  }

  /** Another name when it exists. */
  static async open(wanted: string, run: EnvironmentRun, sink: MetricsSink | undefined): Promise<GroupFiles> {
    const file = freeName(wanted);
    await mkdir(path.dirname(file), { recursive: true });
    return new GroupFiles(file, run, sink);
  }

  get groups(): number {
    return this.#groups;
  }

  get rewards(): readonly number[] {
    return this.#rewards;
  }

  async add({ index, item, attempted, scored }: FinishedGroup): Promise<void> {
    const { attempts, distillation } = attempted;
    await appendFile(this.file, `${JSON.stringify(scored)}\n`);
    await appendFile(
      `${this.#stem}.trajectories.jsonl`,
      attempts.map((attempt, rollout) => `${trajectoryLine({ attempt, index, rollout }, this.#run)}\n`).join(""),
    );
    this.#rewards.push(...scored.scores);
    this.#rows.push(
      ...attempts.map((attempt, rollout) => rowOf(attempt, `Group ${this.#groups}, rollout ${rollout}`, this.#run)),
    );
    this.#groups += 1;
    await this.#metrics.add({ item, attempts, notes: distillation?.metrics ?? {} });
    await this.#metrics.report(this.#groups);
  }

  async writePage(): Promise<void> {
    await writeFileAtomic(`${this.#stem}.html`, page(this.#run, this.#rewards, this.#rows));
  }
}

/** `out.jsonl`, `out_1.jsonl`, … : the first that is not there. */
function freeName(file: string): string {
  const stem = file.replace(/\.jsonl$/, "");
  let name = file;
  for (let number = 1; existsSync(name); number += 1) name = `${stem}_${number}.jsonl`;
  return name;
}

function trajectoryLine(
  { attempt, index, rollout }: { readonly attempt: Attempt; readonly index: number; readonly rollout: number },
  run: EnvironmentRun,
): string {
  const { logger } = run.rollouts.host.machine;
  const { result, tools } = attempt;
  const messages = result?.messages ?? [];
  return embedJson(
    toExact({
      conversations: toShareGpt({ messages, tools, log: logger }),
      messages: groupMessages(messages),
      reward: attempt.reward,
      metadata: {
        env: run.definition.name,
        item_index: index,
        group_index: index,
        rollout_index: rollout,
        task_id: attempt.taskId,
        model: run.modelName,
        turns_used: result?.turns_used ?? 0,
        finished_naturally: result?.finished_naturally ?? false,
        tool_errors: result?.tool_errors ?? [],
        timestamp: localTimestamp(new Date(attempt.endedAtMs)),
        elapsed_seconds: attempt.seconds,
      },
    }),
  );
}

function rowOf(attempt: Attempt, title: string, run: EnvironmentRun): ReportRow {
  const { result, reward, seconds } = attempt;
  const turns = toShareGpt({ messages: result?.messages ?? [], tools: [], log: run.rollouts.host.machine.logger });
  return {
    title,
    status: reward > 0 ? "PASS" : "FAIL",
    facts: [`reward ${reward}`, `${result?.turns_used ?? 0} turns`, `${seconds.toFixed(1)} s`],
    turns: turns.slice(1),
  };
}

function page(run: EnvironmentRun, rewards: readonly number[], rows: readonly ReportRow[]): string {
  const average = rewards.length === 0 ? 0 : rewards.reduce((sum, one) => sum + one, 0) / rewards.length;
  return reportPage({
    title: run.definition.name,
    subtitle: run.modelName,
    cards: [
      { label: "rollouts", value: String(rewards.length) },
      { label: "mean reward", value: average.toFixed(3) },
    ],
    charts: [histogram("Rewards", rewards)],
    tables: [],
    rows,
  });
}
