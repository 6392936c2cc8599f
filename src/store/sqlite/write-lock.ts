import type { Clock } from "#foundation/time/clock";
import type { SqliteConnection } from "./connection.ts";
import { isBusy } from "./driver.ts";

/**
 * Waiting for the one write lock of a SQLite file without stopping the thread. An attempt lasts a second
 * and looks often, because the usual holder is done within a millisecond; between attempts is a random
 * pause, so that processes which wait together do not come back together.
 */
export const maxAttempts = 15;
const attemptMs = 1_000;
const shortestPauseMs = 20;
const longestPauseMs = 150;
const quickPolls = 30;
const slowPollMs = 10;

export interface LockWait {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly random?: () => number;
}

export async function beginImmediate(connection: SqliteConnection, wait: LockWait): Promise<void> {
  await whileBusy(() => connection.exec("BEGIN IMMEDIATE"), wait);
}

/** Runs `act` again as long as the file is locked, up to the limit; any other error surfaces at once. */
export async function whileBusy<T>(act: () => T, wait: LockWait): Promise<T> {
  const random = wait.random ?? Math.random;
  for (let attempt = 1; ; attempt += 1) {
    const endMs = wait.clock.now() + attemptMs;
    for (let poll = 0; ; poll += 1) {
      try {
        return act();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (wait.clock.now() >= endMs) {
          if (attempt >= maxAttempts) throw error;
          break;
        }
      }
      await wait.clock.sleep(poll < quickPolls ? 1 : slowPollMs, wait.signal);
    }
    await wait.clock.sleep(shortestPauseMs + random() * (longestPauseMs - shortestPauseMs), wait.signal);
  }
}
