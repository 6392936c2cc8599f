import { defined } from "#foundation/defined";
import { writeFileAtomic } from "#foundation/files/files";
import type { Clock } from "#foundation/time/clock";
import type { PlatformState } from "../connections/supervisor.ts";
import { Tally } from "../figures/tally.ts";

export type GatewayState = "starting" | "running" | "draining" | "stopped" | "startup_failed";

const worthALookMs = 100;

/** What the gateway says about itself in a file, for `status`, `doctor` and service managers. */
export class StatusFile {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #roles: readonly string[];
  readonly #platforms = new Map<string, Readonly<Record<string, unknown>>>();
  /** Platforms that this process was connected to at least once. */
  readonly #reached = new Set<string>();
  /** Since when a platform is tried in vain. */
  readonly #retryingSince = new Map<string, string>();
  #state: GatewayState = "starting";
  #exitReason: string | undefined;
  #activeAgents = 0;
  #lagMs = 0;
  #isOwed = false;
  #writing: Promise<void> = Promise.resolve();
  /** What this process counts; the file says it with everything else. */
  readonly tally = new Tally(() => this.#write());

  constructor(file: string, { clock, roles }: { readonly clock: Clock; readonly roles: Iterable<string> }) {
    this.#file = file;
    this.#clock = clock;
    this.#roles = [...roles];
  }

  /** What every platform is in now. */
  get platforms(): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
    return this.#platforms;
  }

  gateway(state: GatewayState, activeAgents = this.#activeAgents): void {
    this.#state = state;
    this.#activeAgents = activeAgents;
    this.#write();
  }

  /** The last word: how it ended, and why. */
  ended(state: "stopped" | "startup_failed", reason: string): void {
    this.#exitReason = reason;
    this.gateway(state, 0);
  }

  /** How long this process kept others waiting lately; written when it is worth a look. */
  lag(lagMs: number): void {
    const isNews = Math.max(lagMs, this.#lagMs) >= worthALookMs;
    this.#lagMs = lagMs;
    if (isNews) this.#write();
  }

  platform(id: string, state: PlatformState): void {
    const failure = "errorCode" in state ? { error_code: state.errorCode, error_message: state.errorMessage } : {};
    const since = this.#trouble(id, state);
    if (state.state === "connected" && this.#reached.has(id)) this.tally.reconnected(id);
    if (state.state === "connected") this.#reached.add(id);
    this.#platforms.set(id, {
      state: state.state,
      ...failure,
      ...defined({ retrying_since: since }),
      updated_at: this.#now(),
    });
    this.#write();
  }

  /** Resolves when everything is in the file. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Since when it is tried in vain: each new attempt goes through other states, and all of them count. */
  #trouble(id: string, { state }: PlatformState): string | undefined {
    if (state === "retrying") this.#retryingSince.set(id, this.#retryingSince.get(id) ?? this.#now());
    else if (state !== "connecting") this.#retryingSince.delete(id);
    return this.#retryingSince.get(id);
  }

  /** While one write is under way, whatever changes is written together by the next. */
  #write(): void {
    if (this.#isOwed) return;
    this.#isOwed = true;
    this.#writing = this.#writing
      .then(() => {
        this.#isOwed = false;
        return writeFileAtomic(this.#file, this.#text(), { mode: 0o600, fsync: false });
      })
      // The file is for people to look at; the gateway works without it.
      .catch(() => undefined);
  }

  #text(): string {
    const content = {
      pid: process.pid,
      kind: "hermes-gateway",
      argv: process.argv,
      roles: this.#roles,
      gateway_state: this.#state,
      exit_reason: this.#exitReason ?? null,
      active_agents: this.#activeAgents,
      event_loop_lag_ms: this.#lagMs,
      platforms: Object.fromEntries(this.#platforms),
      figures: this.tally.figures,
      updated_at: this.#now(),
    };
    return `${JSON.stringify(content, undefined, 2)}\n`;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
