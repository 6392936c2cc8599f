const minuteMs = 60_000;
const mostCallers = 4_096;

interface Minute {
  readonly sinceMs: number;
  count: number;
}

/** How often each caller may call within a minute. */
export class FloodGuard {
  readonly #minutes = new Map<string, Minute>();
  readonly #mostPerMinute: number;

  constructor(mostPerMinute: number) {
    this.#mostPerMinute = mostPerMinute;
  }

  /** How often a caller has called in this minute, this time included. */
  count(caller: string, nowMs: number): number {
    const known = this.#minutes.get(caller);
    if (known !== undefined && nowMs - known.sinceMs < minuteMs) {
      known.count += 1;
      return known.count;
    }
    this.#minutes.delete(caller);
    this.#minutes.set(caller, { sinceMs: nowMs, count: 1 });
    const [oldest] = this.#minutes.keys();
    if (this.#minutes.size > mostCallers && oldest !== undefined) this.#minutes.delete(oldest);
    return 1;
  }

  isTooMuch(caller: string, nowMs: number): boolean {
    return this.count(caller, nowMs) > this.#mostPerMinute;
  }
}
