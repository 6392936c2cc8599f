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

export function beginImmediate(connection: SqliteConnection, wait: LockWait): void | Promise<void> {
  return whileBusy(() => connection.exec("BEGIN IMMEDIATE"), wait);
}

/**
 * Runs `act`, again as long as the file is locked, up to the limit; any other error surfaces at once. Nearly always
 * nobody holds the lock, and then nobody waits.
 */
export function whileBusy<T>(act: () => T, wait: LockWait): T | Promise<T> {
  try {
    return act();
  } catch (error) {
    if (!isBusy(error)) throw error;
    return whileLocked(act, wait, error);
  }
}

async function whileLocked<T>(act: () => T, wait: LockWait, locked: unknown): Promise<T> {
  const random = wait.random ?? Math.random;
  let last = locked;
  for (let attempt = 1; ; attempt += 1) {
    const endMs = wait.clock.now() + attemptMs;
    for (let poll = 0; wait.clock.now() < endMs; poll += 1) {
      await wait.clock.sleep(poll < quickPolls ? 1 : slowPollMs, wait.signal);
      try {
        return act();
      } catch (error) {
        if (!isBusy(error)) throw error;
        last = error;
      }
    }
    if (attempt >= maxAttempts) throw last;
    await wait.clock.sleep(shortestPauseMs + random() * (longestPauseMs - shortestPauseMs), wait.signal);
  }
}
