import type { AgentEvent } from "#conversation";
import { defined } from "#foundation/defined";
import type { Clock } from "#foundation/time/clock";

export interface ActivityDeps {
  /** Its own clock: the waits of a turn and this watch are not the same time in tests. */
  readonly clock: Clock;
  readonly everyMs: number;
  emit(event: AgentEvent): void;
  /** The step that runs and how many there may be. */
  steps(): { readonly step: number; readonly limit: number };
}

export const usualActivityMs = 30_000;

/** Says what a quiet turn waits for, so that whoever supervises it can tell working from stuck. */
export class ActivityWatch implements AsyncDisposable {
  readonly #deps: ActivityDeps;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #tools = new Map<string, string>();
  #doing = "getting ready";
  #lastMs: number;

  constructor(deps: ActivityDeps) {
    this.#deps = deps;
    this.#lastMs = deps.clock.now();
    this.#running = this.#watch();
  }

  /** Every event of the turn passes here. */
  note(event: AgentEvent): void {
    this.#lastMs = this.#deps.clock.now();
    switch (event.type) {
      case "attempt-start":
        this.#doing = `waiting for ${event.model}`;
        return;
      case "tool-start":
        this.#tools.set(event.callId, event.name);
        return;
      case "tool-end":
        this.#tools.delete(event.callId);
        return;
      case "compression-start":
        this.#doing = "compressing the conversation";
        return;
      case "recovery-start":
        this.#doing = `waiting before another attempt (${event.remedy})`;
        return;
      default:
        return;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #watch(): Promise<void> {
    const { clock, everyMs } = this.#deps;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const quietMs = clock.now() - this.#lastMs;
      if (quietMs >= everyMs) this.#report();
      else await clock.sleep(everyMs - quietMs, signal).catch(ignoreStop(signal));
    }
  }

  #report(): void {
    const [tool] = this.#tools.values();
    const text = tool === undefined ? this.#doing : `running ${[...this.#tools.values()].join(", ")}`;
    const event = { type: "activity" as const, text, ...defined({ tool }), ...this.#deps.steps() };
    this.#lastMs = this.#deps.clock.now();
    this.#deps.emit(event);
  }
}

/** Being stopped is how this watch ends; anything else is a bug. */
function ignoreStop(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}
