import { processStartedAtMs } from "../process-start-time.ts";

/** A number and the moment it was given out: together they name a process for good. */
export interface ProcessName {
  readonly pid: number | undefined;
  readonly startedAtMs: number | undefined;
}

/** The boot time that start times are counted from moves a little with the clock. */
const startToleranceMs = 2_000;

/** Whether the process of that name still runs; one that has only its number does not count. */
export async function isAlive({ pid, startedAtMs }: ProcessName, signal: AbortSignal): Promise<boolean> {
  if (pid === undefined || startedAtMs === undefined) return false;
  const nowMs = await processStartedAtMs(pid, signal);
  return nowMs !== undefined && Math.abs(nowMs - startedAtMs) <= startToleranceMs;
}
