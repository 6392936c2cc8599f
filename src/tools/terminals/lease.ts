import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { deadline, isAbort, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import { LeasedTerminal } from "./leased-terminal.ts";
import type { Terminal, TerminalLeases } from "./terminal.ts";

/** What infrastructure may set for one task before it runs; models never see these. */
export interface TerminalOverrides {
  readonly cwd?: string;
  readonly dockerImage?: string;
  readonly singularityImage?: string;
  readonly modalImage?: string;
  readonly daytonaImage?: string;
}

export interface LeaseDeps {
  /** The one factory: every path to a terminal goes through it. */
  open(taskId: string, overrides: TerminalOverrides, signal: AbortSignal): Promise<Terminal>;
  /** Whether background processes of the task still run. */
  hasProcesses(taskId: string): boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long an unused terminal stays (default 300 s). */
  readonly lifetimeMs?: number;
}

const defaultLifetimeMs = 300_000;
const reapEveryMs = 60_000;
const disposalLimitMs = 15_000;

interface Lease {
  readonly terminal: Promise<LeasedTerminal>;
  opened: LeasedTerminal | undefined;
  lastUsedMs: number;
}

/**
 * One terminal per task.
 *
 * 1. Calls that come while it is being made wait for the same one; a failure is not remembered.
 * 2. A lease leaves the table before its terminal is closed, so nobody is handed a closing one.
 * 3. Nothing is reaped while a command or a background process of the task runs.
 */
export class LeaseTable implements TerminalLeases {
  readonly #deps: LeaseDeps;
  readonly #leases = new Map<string, Lease>();
  readonly #overrides = new Map<string, TerminalOverrides>();
  readonly #ending = new AbortController();
  readonly #closing = new Set<Promise<void>>();
  #reaping: Promise<void> | undefined;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  async take(taskId: string, signal: AbortSignal): Promise<Terminal> {
    this.#ending.signal.throwIfAborted();
    const lease = this.#leases.get(taskId) ?? this.#open(taskId);
    lease.lastUsedMs = this.#deps.clock.now();
    this.#reaping ??= this.#reapForEver();
    return raceAbort(lease.terminal, signal);
  }

  peek(taskId: string): Terminal | undefined {
    return this.#leases.get(taskId)?.opened;
  }

  async release(taskId: string): Promise<void> {
    const lease = this.#leases.get(taskId);
    if (lease === undefined) return;
    this.#leases.delete(taskId);
    const closing = this.#close(taskId, lease);
    this.#closing.add(closing);
    await closing.finally(() => this.#closing.delete(closing));
  }

  /** Takes effect when the terminal of the task is made. */
  setOverrides(taskId: string, overrides: TerminalOverrides): void {
    this.#overrides.set(taskId, overrides);
  }

  /** A turn is over: what keeps nothing between turns is closed. */
  async endTurn(taskId: string): Promise<void> {
    const opened = this.#leases.get(taskId)?.opened;
    if (opened !== undefined && !opened.isPersistent && !this.#deps.hasProcesses(taskId)) await this.release(taskId);
  }

  /** A task is over: its terminal and its overrides go. */
  async endTask(taskId: string): Promise<void> {
    this.#overrides.delete(taskId);
    await this.release(taskId);
  }

  /** Closes what was unused for too long. */
  async reap(): Promise<void> {
    const oldest = this.#deps.clock.now() - (this.#deps.lifetimeMs ?? defaultLifetimeMs);
    const idle = [...this.#leases].filter(
      ([taskId, lease]) =>
        lease.lastUsedMs < oldest && lease.opened?.isInUse === false && !this.#deps.hasProcesses(taskId),
    );
    await Promise.all(idle.map(([taskId]) => this.release(taskId)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new Error("the terminals are being closed"));
    using limit = deadline(disposalLimitMs);
    const all = Promise.allSettled([
      ...[...this.#leases.keys()].map((taskId) => this.release(taskId)),
      ...this.#closing,
    ]);
    try {
      await raceAbort(all, limit.signal);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      this.#deps.logger.warn("some terminals did not close in time");
    }
    await this.#reaping;
  }

  #open(taskId: string): Lease {
    const touch = (): void => {
      lease.lastUsedMs = this.#deps.clock.now();
    };
    const opening = this.#deps
      .open(taskId, this.#overrides.get(taskId) ?? {}, this.#ending.signal)
      .then((terminal) => new LeasedTerminal(terminal, touch));
    const lease: Lease = { terminal: opening, opened: undefined, lastUsedMs: this.#deps.clock.now() };
    this.#leases.set(taskId, lease);
    opening.then(
      (terminal) => {
        lease.opened = terminal;
      },
      () => {
        if (this.#leases.get(taskId) === lease) this.#leases.delete(taskId);
      },
    );
    return lease;
  }

  async #close(taskId: string, lease: Lease): Promise<void> {
    try {
      await (await lease.terminal)[Symbol.asyncDispose]();
    } catch (error) {
      // It was never made, or is gone already: either way there is nothing left to close.
      this.#deps.logger.info("terminal was not closed in order", { taskId, reason: describe(error) });
    }
  }

  async #reapForEver(): Promise<void> {
    const signal = linkSignals(this.#ending.signal);
    try {
      for (;;) {
        await this.#deps.clock.sleep(reapEveryMs, signal);
        await this.reap();
      }
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) throw error;
    }
  }
}
