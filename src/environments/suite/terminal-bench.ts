import path from "node:path";
import { isRecord, parseJson } from "#foundation/text/json";
import { cycle, defineEnvironment, type Environment, type Score } from "../env/environment.ts";
import type { ToolContext } from "../rollout/tool-context.ts";
import { type FolderTask, findTasks } from "./task-folders.ts";

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
  return defineEnvironment<FolderTask>({
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
      max_eval_workers: 8,
      task_timeout: taskSeconds,
      test_timeout: 180,
      task_filter: "",
      skip_tasks: "",
      use_task_timeouts: false,
      tests_folder: "/tests",
      logs_folder: "/logs/verifier",
      agent: "model",
    },
    async open({ config, cwd }) {
      const { own, env } = config;
      const root = path.resolve(cwd, (env.dataset_name ?? "").replace(/^tb:/, ""));
      const wanted = names(own["task_filter"]);
      const skipped = names(own["skip_tasks"]);
      const tasks = (await findTasks(root)).filter(
        (task) => (wanted.length === 0 || wanted.includes(task.name)) && !skipped.includes(task.name),
      );
      const folders = { tests: String(own["tests_folder"]), logs: String(own["logs_folder"]) };
      const seconds = (task: FolderTask): number =>
        own["use_task_timeouts"] === true
          ? (task.agentSeconds ?? Number(own["task_timeout"]))
          : Number(own["task_timeout"]);
      return {
        next: cycle(tasks),
        evaluation: tasks,
        prompt: ({ instruction }) => instruction,
        nameOf: (task) => task.name,
        describe: ({ category, difficulty }) => ({ category, difficulty }),
        rollout: (task) => ({
          timeoutSeconds: seconds(task),
          terminal: env.terminal_backend === "local" ? undefined : { image: task.image, cwd: "/app" },
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

type Result = { readonly item: FolderTask; readonly reward: number };

function rates(results: readonly Result[], prefix: string, kindOf: (task: FolderTask) => string | undefined) {
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
  task: FolderTask,
  tools: ToolContext,
  {
    folders,
    seconds,
  }: { readonly folders: { readonly tests: string; readonly logs: string }; readonly seconds: number },
): Promise<Score> {
  const { tests, logs } = folders;
  await tools.terminal(`mkdir -p '${tests}' '${logs}' && rm -f '${logs}'/reward.json '${logs}'/reward.txt`);
  await tools.uploadDir(path.join(task.folder, "tests"), tests);
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
