import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Logger } from "#foundation/files/logger";
import { isAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";

export interface LoopLagDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What everything else in this process waited for, in the middle, since the last look. */
  onLag?(lagMs: number): void;
  readonly everyMs?: number;
  readonly limitMs?: number;
}

const usualEveryMs = 10_000;
const usualLimitMs = 500;
const resolutionMs = 50;

/** Says when something keeps this process so busy that chats wait for it, until the signal. */
export async function watchLoopLag(deps: LoopLagDeps, signal: AbortSignal): Promise<void> {
  const { clock, logger, onLag, everyMs = usualEveryMs, limitMs = usualLimitMs } = deps;
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  try {
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal);
      // Without a single measurement there is no mean.
      const meanMs = Number.isFinite(delays.mean) ? delays.mean / 1e6 : 0;
      const lagMs = Math.max(0, Math.round(meanMs) - resolutionMs);
      delays.reset();
      onLag?.(lagMs);
      if (lagMs > limitMs)
        logger.warn("this process is too busy to answer in time", { lagMs, seconds: everyMs / 1000 });
    }
  } catch (error) {
    if (!isAbort(error)) throw error;
  } finally {
    delays.disable();
  }
}
