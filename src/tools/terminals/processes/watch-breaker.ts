const windowMs = 10_000;
const maxEvents = 15;
export const breakerSilenceMs = 30_000;

/** Stops a flood of reports from all processes together: more than 15 within 10 s bring 30 s of silence. */
export class WatchBreaker {
  #recent: number[] = [];
  #silentUntilMs: number | undefined;
  #held = 0;

  /** `pass`: report it. `trip`: do not, and say that the silence begins. `hold`: do not. */
  admit(nowMs: number): "pass" | "trip" | "hold" {
    if (this.#silentUntilMs !== undefined && nowMs < this.#silentUntilMs) {
      this.#held += 1;
      return "hold";
    }
    this.#recent = this.#recent.filter((atMs) => nowMs - atMs < windowMs);
    this.#recent.push(nowMs);
    if (this.#recent.length <= maxEvents) return "pass";
    this.#silentUntilMs = nowMs + breakerSilenceMs;
    this.#held = 1;
    this.#recent = [];
    return "trip";
  }

  /** Ends the silence; how many reports it held back. */
  release(): number {
    const held = this.#held;
    this.#silentUntilMs = undefined;
    this.#held = 0;
    return held;
  }
}
