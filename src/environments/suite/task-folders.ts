import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { UserError } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";
import { parseToml } from "./toml.ts";

/** A task with its own container and tests. */
export interface BenchTask {
  readonly name: string;
  readonly instruction: string;
  readonly category: string;
  readonly difficulty: string | undefined;
  readonly image: string | undefined;
  /** What its image can be built from; undefined: nothing. */
  readonly build: TaskFiles | undefined;
  readonly tests: TaskFiles;
  readonly agentSeconds: number | undefined;
  readonly testSeconds: number | undefined;
  /** What runs the tests, inside; undefined: there are none. */
  readonly testCommand: string | undefined;
}

/** Files of a task: a folder on this machine, or an archive (base64 of a tar.gz) with texts beside it. */
export type TaskFiles =
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "archive"; readonly archive: string; readonly texts: Readonly<Record<string, string>> };

const deepest = 6;

/** All task folders below a folder: `task.toml` with `instruction.md`, or the older `task.yaml`. Links are not followed. */
export async function findTasks(root: string): Promise<readonly BenchTask[]> {
  const tasks: BenchTask[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    const task = await readTask(folder);
    if (task !== undefined) {
      tasks.push(task);
      return;
    }
    if (depth >= deepest) return;
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isDirectory() && !entry.name.startsWith(".")) await visit(path.join(folder, entry.name), depth + 1);
  };
  if (!existsSync(root)) throw new UserError(`There is no folder ${root}.`, { exitCode: 2 });
  await visit(root, 0);
  return tasks.sort((left, right) => (left.name < right.name ? -1 : 1));
}

async function readTask(folder: string): Promise<BenchTask | undefined> {
  if (existsSync(path.join(folder, "task.toml")) && existsSync(path.join(folder, "instruction.md")))
    return await harborTask(folder);
  return existsSync(path.join(folder, "task.yaml")) ? await olderTask(folder) : undefined;
}

async function harborTask(folder: string): Promise<BenchTask> {
  const settings = parseToml(await readFile(path.join(folder, "task.toml"), "utf8"));
  const group = (name: string): Record<string, unknown> => (isRecord(settings[name]) ? settings[name] : {});
  const instruction = await readFile(path.join(folder, "instruction.md"), "utf8");
  return {
    name: path.basename(folder),
    tests: { kind: "folder", folder: path.join(folder, "tests") },
    instruction: instruction.replace(/^(?:<!--[^\n]*canary[^\n]*-->\s*\n)+/i, ""),
    category: text(group("metadata")["category"]) ?? "unknown",
    difficulty: text(group("metadata")["difficulty"]),
    image: text(group("environment")["docker_image"]),
    build: buildFolder(path.join(folder, "environment")),
    agentSeconds: number(group("agent")["timeout_sec"]),
    testSeconds: number(group("verifier")["timeout_sec"]),
    testCommand: "bash /tests/test.sh",
  };
}

async function olderTask(folder: string): Promise<BenchTask> {
  const { parse } = await import("yaml");
  const value: unknown = parse(await readFile(path.join(folder, "task.yaml"), "utf8"));
  const settings = isRecord(value) ? value : {};
  return {
    name: path.basename(folder),
    tests: { kind: "folder", folder: path.join(folder, "tests") },
    instruction: text(settings["instruction"]) ?? "",
    category: text(settings["category"]) ?? "unknown",
    difficulty: text(settings["difficulty"]),
    image: text(settings["docker_image"]),
    build: buildFolder(folder),
    agentSeconds: number(settings["max_agent_timeout_sec"]),
    testSeconds: number(settings["max_test_timeout_sec"]),
    testCommand: "bash /tests/run-tests.sh",
  };
}

function buildFolder(folder: string): TaskFiles | undefined {
  return existsSync(path.join(folder, "Dockerfile")) ? { kind: "folder", folder } : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
