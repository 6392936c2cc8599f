import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { loadTrajectories } from "#agent";
import { UserError } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";

/** One attempt of an evaluation, as its file has it. */
export interface Sample {
  readonly task: string;
  readonly attempt: number;
  readonly reward: number;
  readonly status: string;
  readonly error: string | undefined;
  readonly turns: number;
  readonly seconds: number;
  readonly tokens: number;
  readonly messages: readonly unknown[];
}

/** What an evaluation left in its folder. */
export interface EvaluationFolder {
  readonly folder: string;
  readonly title: string;
  readonly model: string;
  readonly metrics: Readonly<Record<string, number>>;
  readonly samples: readonly Sample[];
}

/** Several files of samples, of a run that was resumed, count together; the last line about an attempt is the one. */
export async function readEvaluation(folder: string, signal: AbortSignal): Promise<EvaluationFolder> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^samples.*\.jsonl$/.test(name)).sort();
  if (names.length === 0)
    throw new UserError(`${folder} holds no evaluation: there is no samples_….jsonl in it.`, {
      hint: "Name the folder that hermes env <name> evaluate wrote, evals/<name>/<time>.",
      exitCode: 2,
    });
  const samples = new Map<string, Sample>();
  for (const name of names)
    for await (const line of loadTrajectories(path.join(folder, name), { onInvalid: "skip", signal })) {
      const sample = toSample(line);
      samples.set(`${sample.attempt}:${sample.task}`, sample);
    }
  return { folder, samples: [...samples.values()], ...(await facts(folder)) };
}

export function toSample(line: Readonly<Record<string, unknown>>): Sample {
  const reward = toNumber(line["reward"]);
  const error = typeof line["error"] === "string" ? line["error"] : undefined;
  const status = typeof line["status"] === "string" ? line["status"] : reward === 1 ? "PASS" : "FAIL";
  return {
    task: String(line["task_name"]),
    attempt: toNumber(line["attempt"]),
    ...{ reward, error, status },
    turns: toNumber(line["turns_used"]),
    seconds: toNumber(line["elapsed_seconds"]),
    tokens: toNumber(line["completion_tokens"]),
    messages: Array.isArray(line["messages"]) ? line["messages"] : [],
  };
}

async function facts(folder: string) {
  const parsed = parseJson(await readFile(path.join(folder, "metrics.json"), "utf8").catch(() => "{}"));
  const document = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const results = isRecord(document["results"]) ? document["results"] : {};
  const general = isRecord(document["config_general"]) ? document["config_general"] : {};
  const metrics = isRecord(results["all"]) ? results["all"] : {};
  const task = Object.keys(results).find((name) => name !== "all");
  return {
    title: task?.split("|")[1]?.replace(/_eval$/, "") ?? path.basename(path.dirname(folder)),
    model: typeof general["model_name"] === "string" ? general["model_name"] : "unknown model",
    metrics: Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, toNumber(value)])),
  };
}

function toNumber(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
