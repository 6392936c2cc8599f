import { isAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { spinnerFrameMs } from "../state/select.ts";

/** Streamed text is drawn at most this often; keys are drawn at once. */
const streamFrameMs = 33;
const idleTickMs = 1_000;

export interface FrameTimerDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly paint: () => void;
  readonly tick: () => void;
  readonly isAnimated: () => boolean;
}

/** Decides when a frame is drawn: four times a second for what moves by itself, at once for keys. */
export class FrameTimer {
  readonly #deps: FrameTimerDeps;
  #isWaiting = false;
  #lastPaintMs = Number.NEGATIVE_INFINITY;

  constructor(deps: FrameTimerDeps) {
    this.#deps = deps;
  }

  now(): void {
    this.#lastPaintMs = this.#deps.clock.now();
    this.#deps.paint();
  }

  /** At once when the last frame is old enough, else when it is. */
  soon(): void {
    if (this.#isWaiting) return;
    const waitMs = this.#lastPaintMs + streamFrameMs - this.#deps.clock.now();
    this.#isWaiting = true;
    void this.#later(Math.max(0, waitMs));
  }

  /** Runs until the signal fires. */
  async run(): Promise<void> {
    const { clock, signal } = this.#deps;
    try {
      for (;;) {
        await clock.sleep(this.#deps.isAnimated() ? spinnerFrameMs : idleTickMs, signal);
        this.#deps.tick();
        this.now();
      }
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) throw error;
    }
  }

  async #later(waitMs: number): Promise<void> {
    try {
      await this.#deps.clock.sleep(waitMs, this.#deps.signal);
      this.#isWaiting = false;
      this.now();
    } catch (error) {
      if (!this.#deps.signal.aborted && !isAbort(error)) throw error;
    }
  }
}
