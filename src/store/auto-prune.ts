import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Aggregates, AutoPruneOptions } from "./store.ts";

const stampKey = "last_auto_prune";
const hourS = 3_600;

export interface AutoPruneContext {
  readonly aggregates: Aggregates;
  readonly clock: Clock;
  readonly log: Logger;
  compact(signal: AbortSignal): Promise<void>;
}

/** Prunes at most once per interval, whichever process comes first; a failure is logged and never stops a start. */
export async function autoPrune(context: AutoPruneContext, options: AutoPruneOptions): Promise<number | undefined> {
  const { sessions, meta } = context.aggregates;
  const stamp = String(context.clock.now() / 1000);
  let last: string | undefined;
  let isOwed = false;
  try {
    last = await meta.get(stampKey);
    if (last !== undefined && Number(stamp) - Number(last) < options.minIntervalHours * hourS) return undefined;
    // Whoever sets the stamp does the work; the others see it taken.
    isOwed = await meta.compareAndSet(stampKey, last, stamp);
    if (!isOwed) return undefined;
    const removed = await sessions.prune({ olderThanDays: options.retentionDays, signal: options.signal });
    isOwed = false;
    if (removed > 0 && options.compactAfter) await context.compact(options.signal);
    if (removed > 0) context.log.info("removed old sessions", { removed, retentionDays: options.retentionDays });
    return removed;
  } catch (error) {
    if (!options.signal.aborted) context.log.warn("old sessions could not be removed", { cause: describe(error) });
    if (isOwed) await giveBack(context, last);
    return undefined;
  }
}

/** A program that ended too soon leaves the work to the next one. */
async function giveBack({ aggregates: { meta }, log }: AutoPruneContext, last: string | undefined): Promise<void> {
  try {
    await (last === undefined ? meta.delete(stampKey) : meta.set(stampKey, last));
  } catch (error) {
    log.warn("old sessions will be looked at later than wanted", { cause: describe(error) });
  }
}
