import { onAbort, raceAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";

interface Bounds {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Runs work that may hang: its signal fires after the time, and the wait ends then whether the work listens or not.
 * Rejects with a `TimeoutError`, or with the reason of the outer signal.
 */
export async function within<T>(work: (signal: AbortSignal) => T | Promise<T>, bounds: Bounds): Promise<T> {
  bounds.signal.throwIfAborted();
  const inner = new AbortController();
  const ended = new AbortController();
  using _outer = onAbort(bounds.signal, (reason) => inner.abort(reason));
  bounds.clock.sleep(bounds.timeoutMs, ended.signal).then(
    () => inner.abort(new DOMException(`no answer within ${bounds.timeoutMs} ms`, "TimeoutError")),
    () => undefined,
  );
  try {
    return await raceAbort((async () => await work(inner.signal))(), inner.signal);
  } finally {
    ended.abort();
  }
}
