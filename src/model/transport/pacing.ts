import type { Clock } from "#foundation/time/clock";
import type { Target } from "../target.ts";

/**
 * Keeps the distance an endpoint's owner asked for between the starts of two requests to it. Whoever
 * asks takes the next free moment at once, so that many waiting attempts leave one by one, in the
 * order they came.
 */
export class Pacing {
  /** The last moment given away, by address: two models behind one address share its limit. */
  readonly #lastStartMs = new Map<string, number>();

  /** Returns when the request may go out. An attempt that is aborted while it waits gives its moment back. */
  async turn(target: Pick<Target, "baseUrl" | "timeouts">, clock: Clock, signal: AbortSignal): Promise<void> {
    const distanceMs = target.timeouts.minIntervalMs ?? 0;
    if (distanceMs <= 0) return;
    const before = this.#lastStartMs.get(target.baseUrl);
    const nowMs = clock.now();
    const startMs = before === undefined ? nowMs : Math.max(nowMs, before + distanceMs);
    this.#lastStartMs.set(target.baseUrl, startMs);
    if (startMs === nowMs) return;
    try {
      await clock.sleep(startMs - nowMs, signal);
    } catch (error) {
      // Later ones who counted on this moment keep theirs: the distance then is longer, never shorter.
      if (before !== undefined && this.#lastStartMs.get(target.baseUrl) === startMs)
        this.#lastStartMs.set(target.baseUrl, before);
      throw error;
    }
  }
}
