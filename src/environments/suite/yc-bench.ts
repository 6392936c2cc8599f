import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import { cycle, defineEnvironment, type EnvironmentContext, type ScoredItem } from "../env/environment.ts";
import type { ToolContext } from "../rollout/tool-context.ts";
import { mean } from "../statistics.ts";
import { companyPrompt, firstMessage } from "./yc-bench-prompt.ts";
import { type CompanyEnd, compositeScore, readCompany } from "./yc-bench-score.ts";

/** One simulated company: the same for the same preset and number. */
interface CompanyRun {
  readonly preset: string;
  readonly seed: number;
  /** The database of the simulation, in the sandbox. */
  readonly database: string;
}

const helpMs = 10_000;
const initSeconds = 30;
const installAdvice = "Install it where the commands run, for example with: pip install yc-bench";

/** A year as the head of a simulated startup; the model acts through the `yc-bench` program alone. */
export const ycBench = defineEnvironment<CompanyRun>({
  name: "yc-bench",
  about: "YC-Bench: a simulated startup is led for a year, scored by survival and funds",
  needsIsolation: true,
  allows: ["command(yc-bench *)"],
  config: {
    enabled_toolsets: ["terminal"],
    max_agent_turns: 200,
    max_token_length: 32_000,
    agent_temperature: 0,
    terminal_backend: "local",
    terminal_timeout: 60,
    group_size: 1,
    total_steps: 1,
    steps_per_eval: 1,
    max_eval_workers: 1,
    presets: ["fast_test", "medium", "hard"],
    seeds: [1, 2, 3],
    run_timeout: 3600,
    survival_weight: 0.5,
    funds_weight: 0.5,
    db_dir: "/tmp/yc_bench_dbs",
    horizon_years: null,
    company_name: "BenchCo",
    start_date: "01/01/2025",
  },
  async open(context, signal) {
    const { own, env } = context.config;
    const folder = env.terminal_backend === "local" ? await programFolder(context, signal) : undefined;
    const runs = companyRuns(own);
    const weights = { survival: Number(own["survival_weight"]), funds: Number(own["funds_weight"]) };
    return {
      next: cycle(runs),
      evaluation: runs,
      prompt: ({ preset, seed }) => firstMessage({ preset, seed, company: String(own["company_name"]) }),
      nameOf: ({ preset, seed }) => `${preset} ${seed}`,
      // What an error leaves standing.
      describe: ({ preset, seed, database }) => ({
        ...{ preset, seed, survived: false, final_funds_cents: 0, final_funds_usd: 0 },
        ...{ terminal_reason: "error", composite_score: 0, db_path: database },
      }),
      rollout: () => ({ timeoutSeconds: Number(own["run_timeout"]), systemPrompt: companyPrompt }),
      prepare: (run, tools) => startCompany(run, { own, folder }, tools),
      async reward({ database }, _result, tools) {
        const end = await companyEnd(database, tools);
        const score = compositeScore(end, weights);
        return { reward: score, details: { ...figures(end), composite_score: score } };
      },
      status: ({ details }) => (details["survived"] === true ? "SURVIVED" : "BANKRUPT"),
      metrics: companyMetrics,
    };
  },
});

/** Presets are the outer loop. */
function companyRuns(own: Readonly<Record<string, unknown>>): readonly CompanyRun[] {
  const { presets, seeds, db_dir: folder } = own;
  const numbers = (Array.isArray(seeds) ? seeds : []).map(Number);
  if (numbers.length === 0 || !numbers.every((one) => Number.isInteger(one)))
    throw new UserError("seeds has to be a list of whole numbers.", { exitCode: 2 });
  return (Array.isArray(presets) ? presets : []).map(String).flatMap((preset) => {
    if (!/^\w+$/.test(preset)) throw new UserError(`There is no preset ${JSON.stringify(preset)}.`, { exitCode: 2 });
    return numbers.map((seed) => {
      const file = `yc_bench_${preset}_seed${seed}_${randomBytes(4).toString("hex")}.db`;
      return { preset, seed, database: path.posix.join(String(folder), file) };
    });
  });
}

/** Where the program is on this machine: shells of a rollout do not know the person's own folders. */
async function programFolder({ env, cwd }: EnvironmentContext, signal: AbortSignal): Promise<string> {
  const program = findExecutable("yc-bench", env);
  const options = { env, cwd, signal, timeoutMs: helpMs };
  const ran = program === undefined ? undefined : await runProcess(program, ["--help"], options);
  if (program === undefined || ran?.exitCode !== 0)
    throw new UserError("The program yc-bench is not on this machine, or does not answer.", {
      hint: installAdvice,
      exitCode: 2,
    });
  return path.dirname(program);
}

/** A new database, named to this sandbox alone; `yc-bench run` would start an agent of its own. */
async function startCompany(
  { preset, seed, database }: CompanyRun,
  { own, folder }: { readonly own: Readonly<Record<string, unknown>>; readonly folder: string | undefined },
  tools: ToolContext,
): Promise<void> {
  if (folder !== undefined) await tools.terminal(`export PATH=${quoted(folder)}:"$PATH"`);
  const years = Number(own["horizon_years"] ?? (preset === "default" ? 3 : 1));
  const set = `export DATABASE_URL=${quoted(`sqlite:///${database}`)} YC_BENCH_EXPERIMENT=${quoted(preset)}`;
  await tools.terminal(`mkdir -p ${quoted(path.posix.dirname(database))}; ${set}`);
  const facts = [
    ...["--seed", String(seed), "--start-date", String(own["start_date"])],
    ...["--company-name", String(own["company_name"]), "--horizon-years", String(years)],
  ];
  const init = `yc-bench sim init ${facts.map(quoted).join(" ")}`;
  const isSet = `[ "$DATABASE_URL" = ${quoted(`sqlite:///${database}`)} ]`;
  const ran = await tools.terminal(`${isSet} && ${init}`, initSeconds);
  if (ran.exit_code !== 0) throw new Error(`the company could not be started: ${ran.output.trim().slice(-500)}`);
}

/** The database is read here: a copy of it, whatever the model left open. */
async function companyEnd(database: string, tools: ToolContext): Promise<CompanyEnd> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-yc-bench-"));
  try {
    const copy = path.join(folder, "company.db");
    const got = await tools.downloadFile(database, copy);
    if (got.success) await tools.downloadFile(`${database}-wal`, `${copy}-wal`);
    return await readCompany(got.success ? copy : undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function figures({ fundsCents, reason, survived }: CompanyEnd) {
  return {
    survived,
    final_funds_cents: fundsCents,
    final_funds_usd: fundsCents / 100,
    terminal_reason: reason,
  };
}

function companyMetrics(results: readonly ScoredItem<CompanyRun>[]): Readonly<Record<string, number>> {
  const survived = (some: readonly ScoredItem<CompanyRun>[]): number[] =>
    some.map(({ details }) => (details["survived"] === true ? 1 : 0));
  const byPreset = [...new Set(results.map(({ item }) => item.preset))].flatMap((preset) => {
    const some = results.filter(({ item }) => item.preset === preset);
    return [
      [`eval/survival_rate_${preset}`, mean(survived(some))] as const,
      [`eval/avg_score_${preset}`, mean(some.map(({ reward }) => reward))] as const,
    ];
  });
  return {
    "eval/survival_rate": mean(survived(results)),
    "eval/avg_composite_score": mean(results.map(({ reward }) => reward)),
    "eval/total_runs": results.length,
    "eval/survived_runs": survived(results).filter((one) => one === 1).length,
    ...Object.fromEntries(byPreset),
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
