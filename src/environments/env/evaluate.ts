import { appendFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { loadTrajectories } from "#agent";
import { defined } from "#foundation/defined";
import { writeFileAtomic } from "#foundation/files/files";
import { evaluationReport } from "../report/evaluation-report.ts";
import { type Sample, toSample } from "../report/samples.ts";
import { workShared } from "../rollout/shared-run.ts";
import { mean, passAt } from "../statistics.ts";
import { type Attempt, attemptItem, toolsetsFor } from "./attempt.ts";
import { configText } from "./config.ts";
import type { ScoredItem } from "./environment.ts";
import type { EnvironmentRun } from "./environment-run.ts";
import { groupMessages } from "./group.ts";
import { fromElsewhere, type SharedEvaluation, sharedAttempt } from "./shared-evaluation.ts";

export interface EvaluateOptions {
  readonly folder: string;
  readonly concurrency: number;
  /** A file of an earlier run: what stands in it is not run again. */
  readonly resume?: string | undefined;
  /** Where other machines work on the same evaluation; each of them ends with all of it. */
  readonly shared?: SharedEvaluation | undefined;
  onItem(line: string, done: number, total: number): void;
}

export interface Evaluation {
  readonly metrics: Readonly<Record<string, number>>;
  readonly results: readonly ScoredItem<unknown>[];
  readonly samplesFile: string;
  readonly report: string;
  readonly isStopped: boolean;
}

const lookAgainMs = 500;

/** An item, and which of its attempts. */
interface Piece {
  readonly item: unknown;
  readonly name: string;
  readonly attempt: number;
}

interface Entry extends ScoredItem<unknown> {
  readonly name: string;
  readonly attempt: Attempt;
}

/** Attempts every item once. Each result is on disk as soon as it is known. */
export async function evaluate(
  run: EnvironmentRun,
  options: EvaluateOptions,
  signal: AbortSignal,
): Promise<Evaluation> {
  const { environment, definition, rollouts, config } = run;
  const { clock } = rollouts.host.machine;
  const startedMs = clock.now();
  await mkdir(options.folder, { recursive: true });
  await writeFile(path.join(options.folder, "evaluate_config.yaml"), await configText(run.all));
  const samplesFile = path.join(options.folder, `samples_${stamp(new Date(startedMs))}.jsonl`);
  const done = await namesIn(options.resume, signal);
  const items = environment.evaluation
    .map((item, index) => ({ item, name: environment.nameOf?.(item) ?? String(index) }))
    .flatMap((one) => Array.from({ length: Math.max(1, config.attempts) }, (_, attempt) => ({ ...one, attempt })))
    .filter(({ name, attempt }) => !done.has(lineKey(name, attempt)));
  const { modelName: model, runId: run_id } = run;
  run.tell?.({ event: "run_started", env: definition.name, what: "evaluate", model, run_id, total: items.length });
  const entries: Entry[] = [];
  const samples: Sample[] = [];
  const queue = [...items.entries()];
  const toolsets = toolsetsFor(run);
  const { shared } = options;
  const attemptOne = async (index: number, { item, name, attempt }: Piece): Promise<Attempt | "taken"> => {
    const here = async (): Promise<Attempt> => {
      options.onItem(`[START] ${name}`, entries.length, items.length);
      const once = (key: string): Promise<Attempt> =>
        attemptItem({ item, key, name, toolsets, use: "evaluation" }, run, signal);
      const first = await once(`eval_${index}`);
      // What never got an answer says nothing about the model: once more.
      const isFinal = first.result?.messages.some(({ role }) => role === "assistant") ?? first.error === undefined;
      if (isFinal || isTimeout(first) || run.cassette !== undefined) return first;
      return await once(`eval_${index}b`);
    };
    if (shared === undefined) return await here();
    const outcome = await workShared(shared, lineKey(name, attempt), async () => sharedAttempt(await here()));
    return outcome === "taken" ? outcome : fromElsewhere(outcome);
  };
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
      const [index, piece] = next;
      const { item, name } = piece;
      const attempt = await attemptOne(index, piece).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (attempt === undefined) return;
      if (attempt === "taken") {
        // Somebody else has it in hand: looked at again later, and done here when they died.
        queue.push(next);
        await clock.sleep(lookAgainMs, signal).catch(() => undefined);
        continue;
      }
      entries.push({
        item,
        name,
        attempt,
        reward: attempt.reward,
        error: attempt.error,
        result: attempt.result,
        details: attempt.details,
      });
      const line = sampleLine({ ...piece, result: attempt }, run);
      samples.push(toSample(line));
      await appendFile(samplesFile, `${JSON.stringify(line)}\n`);
      options.onItem(`[${verdict(attempt, run)}] ${name} reward ${attempt.reward}`, entries.length, items.length);
    }
  };
  const most = Math.min(options.concurrency, environment.evaluationWorkers ?? options.concurrency, items.length);
  await Promise.all(Array.from({ length: Math.max(1, most) }, worker));
  const seconds = (clock.now() - startedMs) / 1000;
  const metrics = {
    ...usualMetrics(entries, seconds),
    ...(config.attempts > 1 ? attemptMetrics(entries) : {}),
    ...environment.metrics?.(entries),
  };
  run.tell?.({ event: "metrics", metrics });
  run.tell?.({ event: "run_finished", is_stopped: signal.aborted });
  await writeFileAtomic(path.join(options.folder, "metrics.json"), metricsText(run, metrics, seconds));
  const report = path.join(options.folder, "report.html");
  await writeFileAtomic(report, evaluationReport({ title: definition.name, model, metrics, samples }));
  run.cassette?.check();
  return { metrics, results: entries, samplesFile, report, isStopped: signal.aborted };
}

function verdict({ error, reward, details }: Attempt, { environment }: EnvironmentRun): string {
  if (error !== undefined) return error.startsWith("timeout") ? "TIMEOUT" : "ERROR";
  return environment.status?.({ reward, details }) ?? (reward === 1 ? "PASS" : "FAIL");
}

function isTimeout({ error }: Attempt): boolean {
  return error?.startsWith("timeout") === true;
}

/** Names one attempt at one item, here and in files. */
function lineKey(name: unknown, attempt: number): string {
  return `${attempt}:${String(name)}`;
}

function sampleLine(
  { item, name, attempt: round, result: attempt }: Piece & { readonly result: Attempt },
  run: EnvironmentRun,
) {
  const { environment, config } = run;
  const { reward, result, error, details, seconds } = attempt;
  return {
    passed: reward === 1,
    reward,
    task_name: name,
    ...(config.attempts > 1 ? { attempt: round } : {}),
    ...environment.describe?.(item),
    turns_used: result?.turns_used ?? 0,
    finished_naturally: result?.finished_naturally ?? false,
    elapsed_seconds: seconds,
    completion_tokens: result?.usage.completion_tokens ?? 0,
    status: verdict(attempt, run),
    ...details,
    ...defined({ error }),
    messages: groupMessages(result?.messages ?? []),
  };
}

function usualMetrics(entries: readonly Entry[], seconds: number): Readonly<Record<string, number>> {
  const passed = entries.filter(({ reward }) => reward === 1).length;
  return {
    "eval/num_samples": entries.length,
    "eval/accuracy": entries.length === 0 ? 0 : passed / entries.length,
    "eval/avg_reward": mean(entries.map(({ reward }) => reward)),
    "eval/infra_error_rate": mean(entries.map(({ error }) => (error === undefined ? 0 : 1))),
    "eval/evaluation_time_seconds": seconds,
  };
}

/** Over several attempts at each item: one of them passes, all of them do. */
function attemptMetrics(entries: readonly Entry[]): Readonly<Record<string, number>> {
  const items = [...new Set(entries.map(({ name }) => name))].map((name) => {
    const some = entries.filter((entry) => entry.name === name);
    return { tries: some.length, passed: some.filter(({ reward }) => reward === 1).length };
  });
  const most = Math.max(1, ...items.map(({ tries }) => tries));
  const whole = items.filter(({ tries }) => tries === most);
  return {
    "eval/pass@1": mean(items.map(({ tries, passed }) => passAt({ tries, passed }, 1))),
    [`eval/pass@${most}`]: mean(whole.map((item) => passAt(item, most))),
    [`eval/pass^${most}`]: mean(whole.map(({ tries, passed }) => (passed === tries ? 1 : 0))),
  };
}

function metricsText(run: EnvironmentRun, metrics: Readonly<Record<string, number>>, seconds: number): string {
  const document = {
    config_general: {
      model_name: run.modelName,
      total_evaluation_time_seconds: String(seconds),
      generation_parameters: { max_new_tokens: run.config.max_token_length, temperature: run.config.agent_temperature },
    },
    results: { [`atropos|${run.definition.name}_eval|0`]: metrics, all: metrics },
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

async function namesIn(file: string | undefined, signal: AbortSignal): Promise<ReadonlySet<unknown>> {
  const names = new Set<unknown>();
  if (file === undefined) return names;
  for await (const line of loadTrajectories(file, { onInvalid: "skip", signal }))
    names.add(lineKey(line["task_name"], Number(line["attempt"] ?? 0)));
  return names;
}

export function stamp(time: Date): string {
  const iso = time.toISOString();
  return `${iso.slice(0, 10).replaceAll("-", "")}_${iso.slice(11, 19).replaceAll(":", "")}`;
}
