import { createWriteStream } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { loadTrajectories } from "#agent";
import { defined } from "#foundation/defined";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { spawnProcess } from "#foundation/process/run";
import type { TrainingProfile } from "./profile.ts";
import type { Selection } from "./run-files.ts";

export interface TestPlan {
  readonly selection: Selection;
  readonly profile: TrainingProfile;
  readonly program: readonly string[];
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly folder: string;
}

interface TestedModel {
  readonly model: string;
  readonly steps_tested: number;
  readonly accuracy: number;
  readonly error?: string | undefined;
  readonly [field: string]: unknown;
}

const usualModels = [
  { id: "qwen/qwen3-8b", name: "Qwen3 8B", scale: "small" },
  { id: "z-ai/glm-4.7-flash", name: "GLM-4.7 Flash", scale: "medium" },
  { id: "minimax/minimax-m2.7", name: "MiniMax-M2.7", scale: "large" },
] as const;

const mostMs = 600_000;

/** Lets a few models try the environment, one after the other, as `hermes env … process` does. */
export async function testInference(plan: TestPlan, args: Readonly<Record<string, unknown>>, signal: AbortSignal) {
  const steps = Number(args["num_steps"] ?? 3);
  const size = Number(args["group_size"] ?? 16);
  const wanted = Array.isArray(args["models"]) ? args["models"].map(String) : usualModels.map(({ id }) => id);
  await mkdir(plan.folder, { recursive: true });
  const tested: TestedModel[] = [];
  for (const model of wanted) tested.push(await testModel(plan, { model, steps, size }, signal));
  const succeeded = tested.filter(({ error, steps_tested }) => error === undefined && steps_tested > 0);
  const best = [...succeeded].sort((left, right) => right.accuracy - left.accuracy)[0];
  const sum = succeeded.reduce((total, { accuracy }) => total + accuracy, 0);
  return {
    models: tested,
    summary: {
      steps_requested: steps,
      models_tested: tested.length,
      models_succeeded: succeeded.length,
      best_model: best?.model ?? null,
      avg_accuracy: succeeded.length === 0 ? 0 : rounded(sum / succeeded.length),
      environment_working: succeeded.some(({ accuracy }) => accuracy > 0),
      output_directory: plan.folder,
    },
  };
}

async function testModel(
  plan: TestPlan,
  { model, steps, size }: { readonly model: string; readonly steps: number; readonly size: number },
  signal: AbortSignal,
): Promise<TestedModel> {
  const stem = path.join(plan.folder, `test_${plan.selection.name}_${model.replaceAll(/[^\w.-]+/g, "_")}`);
  const output = `${stem}.jsonl`;
  await rm(output, { force: true });
  const fields = `${stem}.yaml`;
  const { stringify } = await import("yaml");
  const { max_token_length: length } = plan.profile.env;
  const env = {
    ...Object.fromEntries(Object.entries(plan.selection.values).filter(([, value]) => value !== null)),
    ...defined({ max_token_length: length }),
    ...{ total_steps: steps, group_size: size, data_path_to_save_groups: output },
  };
  const openai = { model_name: model, base_url: plan.url, server_type: "openai", health_check: false };
  await writeFile(fields, stringify({ env, openai }));
  using limit = deadline(mostMs);
  const [command = process.execPath, ...first] = plan.program;
  await using child = await spawnProcess(
    command,
    [...first, "env", plan.selection.name, "process", "--fields", fields],
    {
      cwd: plan.cwd,
      env: plan.env,
      stdin: "ignore",
      signal: linkSignals(signal, limit.signal),
    },
  );
  const log = createWriteStream(`${stem}.log`, { mode: 0o600 });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  const { exitCode } = await child.exited;
  log.end();
  signal.throwIfAborted();
  const counted = countGroups(await scoresIn(output, signal));
  const known = usualModels.find(({ id }) => id === model);
  const why = limit.signal.aborted ? "it took longer than 10 minutes" : `it ended with ${exitCode}; see ${stem}.log`;
  return {
    model,
    name: known?.name ?? model,
    scale: known?.scale ?? "custom",
    output_file: output,
    ...counted,
    ...(exitCode === 0 ? {} : { error: why }),
  };
}

/** Figures over the scores of groups: an attempt is right when it scored at all. */
function countGroups(groups: readonly (readonly number[])[]) {
  const steps = groups.map((scores, step) => ({
    step,
    completions: scores.length,
    correct: scores.filter((score) => score > 0).length,
    scores,
  }));
  const total = steps.reduce((sum, { completions }) => sum + completions, 0);
  const correct = steps.reduce((sum, one) => sum + one.correct, 0);
  const withCorrect = steps.filter((one) => one.correct > 0).length;
  return {
    steps,
    steps_tested: steps.length,
    total_completions: total,
    correct_completions: correct,
    accuracy: total === 0 ? 0 : rounded(correct / total),
    steps_with_correct: withCorrect,
    step_success_rate: steps.length === 0 ? 0 : rounded(withCorrect / steps.length),
  };
}

async function scoresIn(file: string, signal: AbortSignal): Promise<readonly (readonly number[])[]> {
  const groups: (readonly number[])[] = [];
  try {
    for await (const { scores } of loadTrajectories(file, { onInvalid: "skip", signal }))
      if (Array.isArray(scores)) groups.push(scores.map(Number));
  } catch {
    signal.throwIfAborted();
  }
  return groups;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
