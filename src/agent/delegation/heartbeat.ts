import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";

/** Where a child stands; the same place twice in a row is no progress. */
export interface Standing {
  readonly step: number;
  readonly tool: string | undefined;
  readonly tools: number;
}

export interface Pulse {
  readonly last: Standing | undefined;
  /** Looks at which nothing had changed. */
  readonly still: number;
}

export const noPulse: Pulse = { last: undefined, still: 0 };
const beatMs = 30_000;
const stillWhenIdle = 5;
const stillInTool = 20;

/** Pure: whether a child shows life. A long command is given more time than a silent model. */
export function feel(pulse: Pulse, now: Standing): { readonly pulse: Pulse; readonly isAlive: boolean } {
  const { last } = pulse;
  const isSame = last !== undefined && last.step === now.step && last.tool === now.tool && last.tools === now.tools;
  const still = isSame ? pulse.still + 1 : 0;
  return { pulse: { last: now, still }, isAlive: still < (now.tool === undefined ? stillWhenIdle : stillInTool) };
}

export interface HeartbeatDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The children that are still at work. */
  standings(): ReadonlyMap<string, Standing>;
  /** The parent's sign of life. */
  beat(text: string): void;
}

/** While children get on, whoever watches the parent hears of it; a parent whose children all stand still is silent. */
export async function keepHeartbeat(deps: HeartbeatDeps, signal: AbortSignal): Promise<void> {
  const pulses = new Map<string, Pulse>();
  try {
    for (;;) {
      await deps.clock.sleep(beatMs, signal);
      const alive: string[] = [];
      for (const [id, standing] of deps.standings()) {
        const felt = feel(pulses.get(id) ?? noPulse, standing);
        pulses.set(id, felt.pulse);
        if (felt.isAlive) alive.push(`${id} at step ${standing.step}${standing.tool ? ` (${standing.tool})` : ""}`);
      }
      if (alive.length > 0) deps.beat(alive.join(", "));
    }
  } catch (error) {
    if (!signal.aborted) deps.logger.warn("the heartbeat of children stopped", { reason: describe(error) });
  }
}
