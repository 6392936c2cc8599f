import { rename } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";
import { readTextFile, writeFileAtomic } from "#foundation/files";
import { isRecord, parseJson } from "#foundation/json";
import type { BackgroundProcess, ProcessFacts } from "./background-process.ts";
import type { ProcessRoute } from "./process-event.ts";

/** The list of running processes as it survives a crash (`processes.json`). */
export interface ProcessRecord {
  readonly facts: ProcessFacts;
  readonly notifyOnComplete: boolean;
}

const maxBytes = 4 * 1_048_576;

export async function writeRecords(file: string, processes: readonly BackgroundProcess[]): Promise<void> {
  const entries = processes.map(({ facts, notifyOnComplete }) => ({
    session_id: facts.id,
    command: facts.command,
    pid: facts.pid ?? null,
    pid_scope: facts.pidScope,
    pid_started_at_ms: facts.systemStartMs ?? null,
    cwd: facts.cwd,
    started_at: facts.startedAtMs / 1_000,
    task_id: facts.taskId,
    session_key: facts.sessionKey,
    route: facts.route,
    notify_on_complete: notifyOnComplete,
    watch_patterns: facts.watchPatterns,
    output_file: facts.outputFile ?? null,
  }));
  await writeFileAtomic(file, `${JSON.stringify(entries, undefined, 1)}\n`, { mode: 0o600, fsync: false });
}

/** What an earlier run left. A file that cannot be read is put aside and counts as empty. */
export async function readRecords(file: string, nowMs: number): Promise<readonly ProcessRecord[]> {
  const text = await readTextFile(file, { maxBytes });
  if (text === undefined) return [];
  const parsed = parseJson(text);
  if (!parsed.ok || !Array.isArray(parsed.value)) {
    await setAside(file, `${file}.corrupt-${nowMs}`);
    return [];
  }
  return parsed.value.flatMap((entry) => recordOf(entry) ?? []);
}

async function setAside(file: string, as: string): Promise<void> {
  try {
    await rename(file, as);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}

function recordOf(entry: unknown): ProcessRecord | undefined {
  if (!isRecord(entry)) return undefined;
  const id = textOf(entry["session_id"]);
  const pid = numberOf(entry["pid"]);
  if (id === undefined || !/^proc_[0-9a-f]{12}$/.test(id) || pid === undefined || pid <= 1) return undefined;
  return {
    facts: {
      id,
      command: textOf(entry["command"]) ?? "",
      cwd: textOf(entry["cwd"]) ?? "/",
      taskId: textOf(entry["task_id"]) ?? "default",
      sessionKey: textOf(entry["session_key"]) ?? "",
      route: routeOf(entry["route"]),
      pidScope: entry["pid_scope"] === "host" ? "host" : "sandbox",
      pid,
      startedAtMs: (numberOf(entry["started_at"]) ?? 0) * 1_000,
      systemStartMs: numberOf(entry["pid_started_at_ms"]),
      watchPatterns: [],
      outputFile: textOf(entry["output_file"]),
    },
    notifyOnComplete: entry["notify_on_complete"] === true,
  };
}

function routeOf(value: unknown): ProcessRoute {
  if (!isRecord(value)) return {};
  const names = ["platform", "chat_id", "user_id", "user_name", "thread_id"] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(value[name]);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
