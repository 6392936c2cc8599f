import { setMaxListeners } from "node:events";

/**
 * Waiting and giving up. The only module that touches timers and signals together, so that these
 * hold everywhere: every timer is cleared, every listener removed, and an abort rejects with the
 * signal's own reason.
 */

/** A signal that never fires, for calls that cannot be cancelled. */
export const never: AbortSignal = new AbortController().signal;
// Any number of waits may hang on it at once; that is no leak.
setMaxListeners(0, never);

/** Node clamps longer timeouts to one millisecond; longer waits are made of several timers. */
const longestTimerMs = 2_147_483_647;

/** Waits; rejects with the signal's reason as soon as it fires. `Infinity` waits for the signal alone. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    let remainingMs = Number.isNaN(ms) ? 0 : Math.max(0, ms);
    let timer: NodeJS.Timeout;
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const arm = (): void => {
      const stretchMs = Math.min(remainingMs, longestTimerMs);
      remainingMs -= stretchMs;
      timer = setTimeout(() => {
        if (remainingMs > 0) return arm();
        signal.removeEventListener("abort", onAbort);
        resolve();
      }, stretchMs);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    arm();
  });
}

/** A timer as a signal. `restart` gives it its full time again; disposing it stops it for good. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  restart(): void;
}

/**
 * Fires its signal with a `TimeoutError` after `ms`. The timer does not keep the process alive: who
 * waits under a deadline waits for something else that does.
 */
export function deadline(ms: number, reason = `timed out after ${ms} ms`): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const stop = (): void => clearTimeout(timer);
  const arm = (remainingMs: number): void => {
    const stretchMs = Math.min(Math.max(0, remainingMs), longestTimerMs);
    timer = setTimeout(() => {
      if (remainingMs > stretchMs) return arm(remainingMs - stretchMs);
      controller.abort(new DOMException(reason, "TimeoutError"));
    }, stretchMs);
    timer.unref();
  };
  arm(ms);
  return {
    signal: controller.signal,
    restart() {
      if (isStopped || controller.signal.aborted) return;
      stop();
      arm(ms);
    },
    [Symbol.dispose]() {
      isStopped = true;
      stop();
    },
  };
}

/**
 * Fires after `ms` with a `TimeoutError`, or when one of the others does, with its reason. Instead of `AbortSignal.timeout`: Node 20 collects
 * that one behind `AbortSignal.any`, and it never fires. Who is usually done long before takes a {@link deadline} and disposes it.
 */
export function timeLimit(ms: number, ...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return linkSignals(deadline(ms).signal, ...signals);
}

/** Fires when the first of the given signals does, with its reason. Missing ones are left out. */
export function linkSignals(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const distinct = [...new Set(signals)].filter(
    (signal): signal is AbortSignal => signal !== undefined && signal !== never,
  );
  const [first] = distinct;
  if (first === undefined) return never;
  if (distinct.length === 1) return first;
  return AbortSignal.any(distinct);
}

/** Calls `act` once when the signal fires (at once if it already has). Disposing it takes the listener away. */
export function onAbort(signal: AbortSignal, act: (reason: unknown) => void): Disposable {
  const listener = (): void => act(signal.reason);
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
}

/**
 * The promise's outcome, or the signal's reason if that comes first. The work behind the promise
 * goes on: give it the signal too where it takes one.
 */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let subscription: Disposable | undefined;
  const aborted = new Promise<never>((_, reject) => {
    subscription = onAbort(signal, reject);
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    subscription?.[Symbol.dispose]();
  }
}

/** A cancellation as `AbortController.abort()` and Node's own functions report it; a deadline is not one. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || ("code" in error && error.code === "ABORT_ERR"));
}

/** A deadline that ran out. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
