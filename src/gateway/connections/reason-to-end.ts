import type { Clock } from "#foundation/time/clock";
import type { Outage, Reach } from "./reach.ts";

export interface ReasonDeps {
  readonly reach: Pick<Reach, "outage">;
  /** How long no platform may be reachable. */
  readonly unreachableMs: number;
  /** Whether this process is of use without any platform: jobs, the API. */
  hasOtherWork(): Promise<boolean>;
  readonly clock: Clock;
}

const lookAgainMs = 60_000;

/** Resolves with why this process should end though nobody asked it to; undefined: the signal fired first. */
export async function reasonToEnd(deps: ReasonDeps, signal: AbortSignal): Promise<Outage | undefined> {
  while (!signal.aborted) {
    const outage = await deps.reach.outage(deps.unreachableMs, signal);
    if (outage === undefined || !(await deps.hasOtherWork())) return outage;
    await deps.clock.sleep(lookAgainMs, signal).catch(() => undefined);
  }
  return undefined;
}
