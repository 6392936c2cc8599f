/** What is counted while the day is played. */
export class Figures {
  readonly #waitsMs: number[] = [];
  readonly #hotWaitsMs: number[] = [];
  readonly #sendWaitsMs: number[] = [];
  #arrived = 0;
  #mostRunning = 0;
  #mostWaiting = 0;
  answered = 0;
  outOfOrder = 0;

  arrived(_isHot: boolean): void {
    this.#arrived += 1;
    const waiting = this.#arrived - this.#waitsMs.length - this.#hotWaitsMs.length;
    this.#mostWaiting = Math.max(this.#mostWaiting, waiting);
  }

  began(key: string, waitedMs: number): void {
    (key.endsWith(":hot") ? this.#hotWaitsMs : this.#waitsMs).push(waitedMs);
  }

  running(turns: number): void {
    this.#mostRunning = Math.max(this.#mostRunning, turns);
  }

  sent(waitedMs: number): void {
    this.#sendWaitsMs.push(waitedMs);
  }

  rows(): readonly (readonly [string, string])[] {
    return [
      ["messages taken in", String(this.#arrived)],
      ["messages answered", String(this.answered)],
      ["lost", String(this.#arrived - this.answered)],
      ["out of order", String(this.outOfOrder)],
      ["answers sent", String(this.#sendWaitsMs.length)],
      ["most turns at once", String(this.#mostRunning)],
      ["most messages waiting", String(this.#mostWaiting)],
      ["wait for a turn, p50 / p95 / p99", spread(this.#waitsMs)],
      ["wait in the hot chat, p50 / p95 / p99", spread(this.#hotWaitsMs)],
      ["wait for the platform's pace, p50 / p95 / p99", spread(this.#sendWaitsMs)],
    ];
  }
}

function spread(valuesMs: readonly number[]): string {
  const sorted = [...valuesMs].sort((left, right) => left - right);
  const at = (share: number): string => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return `${(value / 1000).toFixed(1)} s`;
  };
  return [0.5, 0.95, 0.99].map(at).join(" / ");
}
