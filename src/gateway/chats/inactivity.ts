import type { Clock } from "#foundation/time/clock";

export interface InactivitySettings {
  /** Silence before a warning, before the end, and between two notes that it still works; 0 never. */
  readonly warnMs: number;
  readonly endMs: number;
  readonly noteMs: number;
}

export interface InactivityDeps {
  readonly settings: InactivitySettings;
  readonly clock: Clock;
  tell(text: string): void;
  /** Nothing has happened for too long. */
  end(): void;
}

const lookEveryMs = 5_000;

/** Watches a turn for signs of life; its silence is told, and ended when it lasts. */
export class Inactivity implements Disposable {
  readonly #deps: InactivityDeps;
  readonly #over = new AbortController();
  #lastMs: number;
  #isPaused = false;
  #hasWarned = false;

  constructor(deps: InactivityDeps) {
    this.#deps = deps;
    this.#lastMs = deps.clock.now();
    void this.#watch();
  }

  /** Something happened. */
  sign(): void {
    this.#lastMs = this.#deps.clock.now();
    this.#hasWarned = false;
  }

  /** While a person is asked, nothing is expected to happen. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.sign();
  }

  [Symbol.dispose](): void {
    this.#over.abort();
  }

  async #watch(): Promise<void> {
    const { clock, settings, tell, end } = this.#deps;
    const { signal } = this.#over;
    const startedMs = clock.now();
    let notedMs = startedMs;
    for (;;) {
      await clock.sleep(lookEveryMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#isPaused) continue;
      const nowMs = clock.now();
      const silentMs = nowMs - this.#lastMs;
      if (settings.endMs > 0 && silentMs >= settings.endMs) {
        tell(`Nothing has happened for ${minutes(silentMs)}, so I stopped. Ask again, or try something smaller.`);
        end();
        return;
      }
      if (settings.warnMs > 0 && silentMs >= settings.warnMs && !this.#hasWarned) {
        this.#hasWarned = true;
        tell(`Nothing has happened for ${minutes(silentMs)}. I will wait a little longer; /stop stops it.`);
      } else if (settings.noteMs > 0 && nowMs - notedMs >= settings.noteMs) {
        notedMs = nowMs;
        tell(`Still working (${minutes(nowMs - startedMs)}).`);
      }
    }
  }
}

function minutes(ms: number): string {
  const count = Math.round(ms / 60_000);
  return count === 1 ? "a minute" : `${count} minutes`;
}
