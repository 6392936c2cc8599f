import { readTextFile } from "#foundation/files/files";
import { isAlive } from "#foundation/process/alive";
import { isRecord, parseJson } from "#foundation/text/json";

/** A program that a conversation left running in the background. */
export interface RunningProcess {
  readonly id: string;
  readonly command: string;
  readonly started_at_ms: number;
}

/** Those of all programs of this home, as their list says; what ended since it was written is left out where that can be seen. */
export async function runningProcesses(file: string): Promise<readonly RunningProcess[]> {
  const parsed = parseJson((await readTextFile(file, { maxBytes: 4_194_304 })) ?? "");
  const entries = parsed.ok && Array.isArray(parsed.value) ? parsed.value.filter(isRecord) : [];
  return entries.flatMap(({ session_id: id, command, pid, pid_scope: scope, started_at: startedAt }) => {
    if (typeof id !== "string" || typeof command !== "string") return [];
    if (scope === "host" && typeof pid === "number" && !isAlive(pid)) return [];
    return [{ id, command, started_at_ms: Number(startedAt ?? 0) * 1000 }];
  });
}
