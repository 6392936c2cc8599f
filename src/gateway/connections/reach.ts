import { once } from "node:events";
import { linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { PlatformState } from "./supervisor.ts";

/** Why no platform is served: none can ever be connected, or none could be reached for a while. */
export type Outage = "hopeless" | "unreachable";

/** Whether any platform can be reached, by what each says about itself. */
export class Reach {
  readonly #clock: Clock;
  /** Undefined: its first attempt is not over. */
  readonly #states: Map<string, PlatformState["state"] | undefined>;
  #hasConnected = false;
  #change = new AbortController();

  constructor(platforms: readonly string[], clock: Clock) {
    this.#clock = clock;
    this.#states = new Map(platforms.map((id) => [id, undefined]));
  }

  /** Whether any of them was connected, ever. */
  get hasConnected(): boolean {
    return this.#hasConnected;
  }

  report(platform: string, { state }: PlatformState): void {
    if (state === "connecting" && this.#states.get(platform) === undefined) return;
    this.#states.set(platform, state);
    this.#hasConnected ||= state === "connected";
    const before = this.#change;
    this.#change = new AbortController();
    before.abort();
  }

  /** Resolves when each platform was tried once, or with the signal. */
  async tried(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && [...this.#states.values()].includes(undefined))
      await aborted(linkSignals(signal, this.#change.signal));
  }

  /** Resolves when no platform is served and none will be soon; undefined: the signal fired first. */
  async outage(patienceMs: number, signal: AbortSignal): Promise<Outage | undefined> {
    let sinceMs: number | undefined;
    while (!signal.aborted) {
      const states = [...this.#states.values()];
      if (states.every((state) => state === "fatal")) return "hopeless";
      const isOut = states.every((state) => state === "retrying" || state === "connecting" || state === "fatal");
      sinceMs = isOut ? (sinceMs ?? this.#clock.now()) : undefined;
      const leftMs = sinceMs === undefined ? Number.POSITIVE_INFINITY : sinceMs + patienceMs - this.#clock.now();
      if (leftMs <= 0) return "unreachable";
      const change = linkSignals(signal, this.#change.signal);
      await this.#clock.sleep(leftMs, change).catch(() => undefined);
    }
    return undefined;
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
