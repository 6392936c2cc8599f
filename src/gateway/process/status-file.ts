import { writeFileAtomic } from "#foundation/files/files";
import type { Clock } from "#foundation/time/clock";
import type { PlatformState } from "../connections/supervisor.ts";

export type GatewayState = "starting" | "running" | "draining" | "stopped" | "startup_failed";

const worthALookMs = 100;

/** What the gateway says about itself in a file, for `status`, `doctor` and service managers. */
export class StatusFile {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #roles: readonly string[];
  readonly #platforms = new Map<string, Readonly<Record<string, unknown>>>();
  #state: GatewayState = "starting";
  #activeAgents = 0;
  #lagMs = 0;
  #writing: Promise<void> = Promise.resolve();

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

  /** How long this process kept others waiting lately; written when it is worth a look. */
  lag(lagMs: number): void {
    const isNews = Math.max(lagMs, this.#lagMs) >= worthALookMs;
    this.#lagMs = lagMs;
    if (isNews) this.#write();
  }

  platform(id: string, state: PlatformState): void {
    const failure = "errorCode" in state ? { error_code: state.errorCode, error_message: state.errorMessage } : {};
    this.#platforms.set(id, { state: state.state, ...failure, updated_at: this.#now() });
    this.#write();
  }

  /** Resolves when everything is in the file. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #write(): void {
    const content = {
      pid: process.pid,
      kind: "hermes-gateway",
      argv: process.argv,
      roles: this.#roles,
      gateway_state: this.#state,
      active_agents: this.#activeAgents,
      event_loop_lag_ms: this.#lagMs,
      platforms: Object.fromEntries(this.#platforms),
      updated_at: this.#now(),
    };
    const text = `${JSON.stringify(content, undefined, 2)}\n`;
    this.#writing = this.#writing
      .then(() => writeFileAtomic(this.#file, text, { mode: 0o600, fsync: false }))
      // The file is for people to look at; the gateway works without it.
      .catch(() => undefined);
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
