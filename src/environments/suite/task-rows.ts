import { defined } from "#foundation/defined";
import type { DatasetRow } from "../datasets/read-rows.ts";
import { taskRows } from "../datasets/task-rows.ts";
import type { EnvironmentContext } from "../env/environment.ts";
import type { BenchTask, TaskFiles } from "./task-folders.ts";

/** The tasks of a dataset whose rows carry their files: `tests_tar`, `test_sh`, `environment_tar`. */
export async function tasksOfRows({ config, cwd, env }: EnvironmentContext): Promise<readonly BenchTask[]> {
  return (await taskRows(config.env, { cwd, env })).map(taskOf);
}

function taskOf(row: DatasetRow, index: number): BenchTask {
  const script = text(row["test_sh"]);
  const environment = text(row["environment_tar"]);
  return {
    name: text(row["task_name"]) ?? String(index),
    instruction: text(row["instruction"]) ?? "",
    category: text(row["category"]) ?? "unknown",
    difficulty: text(row["difficulty"]),
    image: text(row["docker_image"]),
    build: environment === undefined ? undefined : archive(environment, {}),
    tests: archive(text(row["tests_tar"]) ?? "", defined({ "test.sh": script })),
    agentSeconds: number(row["max_agent_timeout_sec"]),
    testSeconds: number(row["max_test_timeout_sec"]),
    testCommand: script === undefined ? undefined : "bash /tests/test.sh",
  };
}

function archive(base64: string, texts: Readonly<Record<string, string>>): TaskFiles {
  return { kind: "archive", archive: base64, texts };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
