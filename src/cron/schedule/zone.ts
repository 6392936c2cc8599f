/** Reads a date as the clocks of a time zone show it, and back. Wall time is written as if it were UTC, in milliseconds. */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;

  /** Empty means the zone of this machine; a name that does not exist throws a `RangeError`. */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: name === "" ? undefined : name,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    this.name = this.#format.resolvedOptions().timeZone;
  }

  /** What the clocks show at this moment. */
  wallAt(atMs: number): number {
    const fields = Object.fromEntries(this.#format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((atMs % 1000) + 1000) % 1000);
  }

  /**
   * The moment at which the clocks show this. One that they skip is the first moment after the gap; of two moments
   * that show the same, the first.
   */
  momentOf(wallMs: number): number {
    const dayMs = 86_400_000;
    const offsets = [this.#offset(wallMs - dayMs), this.#offset(wallMs + dayMs)];
    const found = offsets.map((offset) => wallMs - offset).filter((atMs) => this.wallAt(atMs) === wallMs);
    return found.length > 0 ? Math.min(...found) : this.#endOfGap(wallMs);
  }

  /** `2026-02-03T14:00:00+07:00`. */
  text(atMs: number): string {
    const wallMs = this.wallAt(atMs);
    const minutes = Math.round((wallMs - atMs) / 60_000);
    const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
    const sign = minutes < 0 ? "-" : "+";
    return `${new Date(wallMs).toISOString().slice(0, 19)}${sign}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  }

  #offset(atMs: number): number {
    return this.wallAt(atMs) - atMs;
  }

  /** Clocks are put forward somewhere between a day before and a day after: halves it until the minute is found. */
  #endOfGap(wallMs: number): number {
    let before = wallMs - 86_400_000 - this.#offset(wallMs - 86_400_000);
    let after = wallMs + 86_400_000 - this.#offset(wallMs + 86_400_000);
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (this.wallAt(middle) > wallMs) after = middle;
      else before = middle;
    }
    return after;
  }
}
