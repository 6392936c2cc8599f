import { readFile } from "node:fs/promises";
import { runProcess } from "#foundation/process/run";

const ticksPerSecond = 100;

/**
 * When the system says a process started, in milliseconds since 1970; undefined when there is no such
 * process, or only its corpse. With the number it names a process for good: numbers are used again.
 */
export async function processStartedAtMs(pid: number, signal: AbortSignal): Promise<number | undefined> {
  if (process.platform === "linux") return linuxStart(pid);
  if (process.platform === "win32") return undefined;
  const listed = await runProcess("ps", ["-o", "lstart=", "-p", String(pid)], { signal, timeoutMs: 2_000 });
  const atMs = Date.parse(listed.stdout.trim());
  return Number.isNaN(atMs) ? undefined : atMs;
}

async function linuxStart(pid: number): Promise<number | undefined> {
  const [stat, system] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined),
    readFile("/proc/stat", "latin1").catch(() => undefined),
  ]);
  // The name in brackets may hold anything; the numbered fields start after it.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const bootSeconds = Number(/^btime (\d+)$/m.exec(system ?? "")?.[1]);
  const ticks = Number(fields?.[19]);
  if (fields?.[0] === "Z" || fields?.[0] === "X" || Number.isNaN(ticks) || Number.isNaN(bootSeconds)) return undefined;
  return bootSeconds * 1_000 + Math.round((ticks * 1_000) / ticksPerSecond);
}
