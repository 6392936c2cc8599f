import { existsSync } from "node:fs";
import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { embedJson, localTimestamp, toShareGpt } from "#agent";
import { UserError } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import { toExact } from "#foundation/text/exact-json-text";
import { type ReportRow, reportPage } from "../report/page.ts";
import { histogram } from "../report/svg.ts";
import type { Attempt } from "./attempt.ts";
import { attemptGroup, type EnvironmentRun } from "./environment-run.ts";
import { groupMessages, judgeGroup, scoredGroup } from "./group.ts";
import { MetricsStream } from "./metrics-stream.ts";

export interface ProcessOptions {
  /** Where groups go; another name when it exists. */
  readonly file: string;
  onGroup(line: string): void;
}

export interface Processed {
  readonly file: string;
  readonly groups: number;
  readonly rewards: readonly number[];
  readonly isStopped: boolean;
}

const mostEmptyGroups = 5;

/** Runs groups one after the other and writes what a trainer would get, and the conversations beside it. */
export async function processGroups(
  run: EnvironmentRun,
  options: ProcessOptions,
  signal: AbortSignal,
): Promise<Processed> {
  const { config, environment } = run;
  const file = freeName(options.file);
  const stem = file.replace(/\.jsonl$/, "");
  await mkdir(path.dirname(file), { recursive: true });
  const metrics = new MetricsStream(run, { file: path.join(path.dirname(file), "metrics_stream.jsonl") });
  const rows: ReportRow[] = [];
  const rewards: number[] = [];
  let groups = 0;
  for (let index = 0, empty = 0; groups < config.total_steps && !signal.aborted; index += 1) {
    const item = environment.next();
    if (item === undefined) break;
    const attempted = await attemptGroup({ item, key: `g${index}`, size: config.group_size }, run, signal).catch(
      (error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      },
    );
    if (attempted === undefined) break;
    const { attempts } = attempted;
    run.cassette?.check();
    const group = scoredGroup(attempted, {
      temperature: config.agent_temperature,
      hasMessages: config.include_messages,
      fillsLogprobs: false,
    });
    const rules = {
      groupSize: config.group_size,
      refusesEqualScores: config.ensure_scores_are_not_same,
      maxTokens: undefined,
    };
    const judged = judgeGroup(group, rules);
    const isEmpty = attempts.every(({ result }) => result === undefined);
    if (judged.kind === "skipped" || isEmpty) {
      empty += 1;
      options.onGroup(
        `group ${index} is left out: ${judged.kind === "skipped" ? judged.why : (attempts[0]?.error ?? "")}`,
      );
      if (empty < mostEmptyGroups) continue;
      throw new UserError(`${mostEmptyGroups} groups in a row came to nothing.`, { hint: attempts[0]?.error });
    }
    empty = 0;
    await appendFile(file, `${JSON.stringify(group)}\n`);
    await appendFile(
      `${stem}.trajectories.jsonl`,
      attempts.map((attempt, rollout) => `${trajectoryLine({ attempt, group: index, rollout }, run)}\n`).join(""),
    );
    rewards.push(...group.scores);
    rows.push(...attempts.map((attempt, rollout) => rowOf(attempt, `Group ${groups}, rollout ${rollout}`, run)));
    groups += 1;
    await metrics.add({ item, attempts, notes: attempted.distillation?.metrics ?? {} });
    options.onGroup(`group ${groups}/${config.total_steps}: ${group.scores.join(", ")}`);
  }
  await writeFileAtomic(`${stem}.html`, page(run, rewards, rows));
  return { file, groups, rewards, isStopped: signal.aborted };
}

/** `out.jsonl`, `out_1.jsonl`, … : the first that is not there. */
function freeName(file: string): string {
  const stem = file.replace(/\.jsonl$/, "");
  let name = file;
  for (let number = 1; existsSync(name); number += 1) name = `${stem}_${number}.jsonl`;
  return name;
}

function trajectoryLine(
  { attempt, group, rollout }: { readonly attempt: Attempt; readonly group: number; readonly rollout: number },
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
        item_index: group,
        group_index: group,
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
