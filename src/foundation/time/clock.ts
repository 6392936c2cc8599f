import { sleep } from "../lifecycle/abort.ts";

/** Time as everything that waits or stamps receives it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = { now: () => Date.now(), sleep };
