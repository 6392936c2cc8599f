/** Upper bounds, in seconds, of the classes that durations of turns are counted in. */
export const turnSecondsUpTo = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800] as const;

interface TurnDurations {
  readonly upTo: number[];
  count: number;
  seconds: number;
}

interface Waits {
  count: number;
  seconds: number;
}

/** Who is told of what happens in this process of the gateway, for its figures. */
export interface TallyPort {
  turnEnded(platform: string, durationMs: number): void;
  leaseLost(name: string): void;
  reconnected(platform: string): void;
  /** Something owed was held back so long: by the pace that is kept, or because the platform asked for it. */
  waited(platform: string, waitMs: number): void;
}

/**
 * What happened in this process of the gateway since it started. Counts only grow: a monitor that reads them now and then
 * sees how much was added, and that they begin anew with another process. Keys are platforms and kinds of leases, so the
 * figures stay small.
 */
export class Tally implements TallyPort {
  readonly #onChange: () => void;
  readonly #turns = new Map<string, TurnDurations>();
  readonly #waits = new Map<string, Waits>();
  readonly #reconnects = new Map<string, number>();
  readonly #leaseLosses = new Map<string, number>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  turnEnded(platform: string, durationMs: number): void {
    const seconds = durationMs / 1000;
    const known = this.#turns.get(platform) ?? { upTo: turnSecondsUpTo.map(() => 0), count: 0, seconds: 0 };
    for (const [index, bound] of turnSecondsUpTo.entries())
      if (seconds <= bound) known.upTo[index] = (known.upTo[index] ?? 0) + 1;
    known.count += 1;
    known.seconds += seconds;
    this.#turns.set(platform, known);
    this.#onChange();
  }

  /** The first word of its name is its kind; the rest names a chat or an account. */
  leaseLost(name: string): void {
    this.#add(this.#leaseLosses, name.split(":")[0] ?? name);
  }

  reconnected(platform: string): void {
    this.#add(this.#reconnects, platform);
  }

  waited(platform: string, waitMs: number): void {
    const known = this.#waits.get(platform) ?? { count: 0, seconds: 0 };
    known.count += 1;
    known.seconds += waitMs / 1000;
    this.#waits.set(platform, known);
    this.#onChange();
  }

  /** As the status file says it. */
  get figures(): Readonly<Record<string, unknown>> {
    const turns = [...this.#turns].map(([platform, { upTo, count, seconds }]) => [
      platform,
      { up_to: Object.fromEntries(turnSecondsUpTo.map((bound, index) => [bound, upTo[index] ?? 0])), count, seconds },
    ]);
    return {
      turn_seconds: Object.fromEntries(turns),
      rate_limit_waits: Object.fromEntries(this.#waits),
      reconnects: Object.fromEntries(this.#reconnects),
      lease_losses: Object.fromEntries(this.#leaseLosses),
    };
  }

  #add(counts: Map<string, number>, key: string): void {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    this.#onChange();
  }
}
