import path from "node:path";
import { isRecord, parseJson } from "#foundation/text/json";
import { cycle, defineEnvironment, type Environment, type EnvironmentContext, type Score } from "../env/environment.ts";
import type { ToolContext } from "../rollout/tool-context.ts";
import { openTaskFiles, TaskImages } from "./task-files.ts";
import { type BenchTask, findTasks } from "./task-folders.ts";
import { tasksOfRows } from "./task-rows.ts";

interface SuiteFacts {
  readonly name: string;
  readonly about: string;
  readonly dataset: string;
  readonly taskSeconds: number;
}

/** Terminal-Bench and its small sister: tasks in containers of their own, scored by their own tests. */
export const terminalBench = suite({
  name: "terminal-bench-2",
  about: "Terminal-Bench 2: tasks in containers, scored by their own tests",
  dataset: "tb:terminal-bench-2",
  taskSeconds: 1800,
});

export const openThoughtsLite = suite({
  name: "openthoughts-tblite",
  about: "OpenThoughts TBLite: a hundred graded terminal tasks",
  dataset: "tb:openthoughts-tblite",
  taskSeconds: 1200,
});

function suite({ name, about, dataset, taskSeconds }: SuiteFacts): Environment {
  return defineEnvironment<BenchTask>({
    name,
    about,
    needsIsolation: true,
    config: {
      enabled_toolsets: ["terminal", "file"],
      max_agent_turns: 60,
      max_token_length: 16_000,
      agent_temperature: 0.6,
      terminal_backend: "docker",
      terminal_timeout: 300,
      dataset_name: dataset,
      group_size: 1,
      total_steps: 1,
      steps_per_eval: 1,
      max_concurrent_tasks: 8,
      eval_concurrency: 0,
      task_timeout: taskSeconds,
      test_timeout: 180,
      task_filter: "",
      skip_tasks: "",
      use_task_timeouts: false,
      force_build: false,
      tests_folder: "/tests",
      logs_folder: "/logs/verifier",
      agent: "model",
    },
    async open(context) {
      const { own, env } = context.config;
      const wanted = names(own["task_filter"]);
      const skipped = [...names(own["skip_tasks"]), ...(env.terminal_backend === "modal" ? notOnModal : [])];
      const images = new TaskImages(context.env, { isForced: own["force_build"] === true });
      const tasks = (await tasksOf(context)).filter(
        (task) => (wanted.length === 0 || wanted.includes(task.name)) && !skipped.includes(task.name),
      );
      const folders = { tests: String(own["tests_folder"]), logs: String(own["logs_folder"]) };
      const seconds = (task: BenchTask): number =>
        own["use_task_timeouts"] === true
          ? (task.agentSeconds ?? Number(own["task_timeout"]))
          : Number(own["task_timeout"]);
      return {
        next: cycle(tasks),
        evaluation: tasks,
        evaluationWorkers: Number(own["eval_concurrency"]) || Number(own["max_concurrent_tasks"]),
        images: tasks.flatMap(({ image }) => image ?? []),
        prompt: ({ instruction }) => instruction,
        nameOf: (task) => task.name,
        describe: ({ category, difficulty }) => ({ category, difficulty }),
        rollout: async (task, signal) => ({
          timeoutSeconds: seconds(task),
          terminal:
            env.terminal_backend === "local" ? undefined : { image: await images.imageOf(task, signal), cwd: "/app" },
        }),
        reward: (task, _result, tools) => verify(task, tools, { folders, seconds: Number(own["test_timeout"]) }),
        metrics: (results) => ({
          "eval/pass_rate": share(results.map(({ reward }) => reward === 1)),
          "eval/total_tasks": results.length,
          "eval/passed_tasks": results.filter(({ reward }) => reward === 1).length,
          ...rates(results, "", ({ category }) => category),
          ...rates(results, "difficulty_", ({ difficulty }) => difficulty),
        }),
      };
    },
  });
}

/** They need hardware of their own, or are too slow there. */
const notOnModal = ["qemu-startup", "qemu-alpine-ssh", "crack-7z-hash"];

/** Folders of tasks (`tb:<folder>`), or a dataset whose rows carry the files of their tasks. */
async function tasksOf(context: EnvironmentContext): Promise<readonly BenchTask[]> {
  const name = context.config.env.dataset_name ?? "";
  if (!name.startsWith("tb:")) return await tasksOfRows(context);
  return await findTasks(path.resolve(context.cwd, name.slice("tb:".length)));
}

type Result = { readonly item: BenchTask; readonly reward: number };

function rates(results: readonly Result[], prefix: string, kindOf: (task: BenchTask) => string | undefined) {
  const kinds = new Set(results.flatMap(({ item }) => kindOf(item) ?? []));
  return Object.fromEntries(
    [...kinds].map((kind) => {
      const own = results.filter(({ item }) => kindOf(item) === kind);
      return [`eval/pass_rate_${prefix}${metricName(kind)}`, share(own.map(({ reward }) => reward === 1))];
    }),
  );
}

export function metricName(kind: string): string {
  return kind.toLowerCase().replace(/[\s-]/g, "_");
}

function share(passed: readonly boolean[]): number {
  return passed.length === 0 ? 0 : passed.filter(Boolean).length / passed.length;
}

function names(value: unknown): readonly string[] {
  return String(value ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** The tests come into the sandbox only now; what they write decides, else how they ended. */
async function verify(
  task: BenchTask,
  tools: ToolContext,
  {
    folders,
    seconds,
  }: { readonly folders: { readonly tests: string; readonly logs: string }; readonly seconds: number },
): Promise<Score> {
  if (task.testCommand === undefined) return { reward: 0, details: { test: "the task has no tests" } };
  const { tests, logs } = folders;
  await tools.terminal(`mkdir -p '${tests}' '${logs}' && rm -f '${logs}'/reward.json '${logs}'/reward.txt`);
  await using files = await openTaskFiles(task.tests);
  await tools.uploadDir(files.folder, tests);
  const command = task.testCommand.replaceAll("/tests", tests);
  const ran = await tools.terminal(`HERMES_LOGS='${logs}' ${command}`, task.testSeconds ?? seconds);
  const json = readReward(await tools.readText(path.posix.join(logs, "reward.json")));
  if (json !== undefined) return json;
  const text = (await tools.readText(path.posix.join(logs, "reward.txt")))?.trim() ?? "";
  const reward = text !== "" && Number.isFinite(Number(text)) ? Number(text) : ran.exit_code === 0 ? 1 : 0;
  return { reward, details: { test_exit_code: ran.exit_code } };
}

/** A number, or an object with `reward` and further figures. */
export function readReward(text: string | undefined): Score | undefined {
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true) return undefined;
  if (typeof parsed.value === "number") return { reward: parsed.value, details: {} };
  if (!isRecord(parsed.value) || typeof parsed.value["reward"] !== "number") return undefined;
  const { reward, ...details } = parsed.value;
  return { reward: reward as number, details };
}
