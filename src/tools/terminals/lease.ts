import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { deadline, isAbort, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { ToolTask } from "../contract/session-scope.ts";
import type { Terminal, TerminalLeases } from "../contract/terminal.ts";
import { withEditorTexts } from "./editor-texts.ts";
import { LeasedTerminal } from "./leased-terminal.ts";

export interface LeaseDeps {
  /** The one factory: every path to a terminal goes through it. */
  open(task: ToolTask, signal: AbortSignal): Promise<Terminal>;
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
  readonly sessionKey: string;
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
  readonly #ending = new AbortController();
  readonly #closing = new Set<Promise<void>>();
  #reaping: Promise<void> | undefined;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  async take(task: ToolTask, signal: AbortSignal): Promise<Terminal> {
    this.#ending.signal.throwIfAborted();
    const lease = this.#leases.get(task.taskId) ?? this.#open(task);
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

  /** A turn is over: what keeps nothing between turns is closed. */
  async endTurn(taskId: string): Promise<void> {
    const opened = this.#leases.get(taskId)?.opened;
    if (opened !== undefined && !opened.isPersistent && !this.#deps.hasProcesses(taskId)) await this.release(taskId);
  }

  /** Closes every terminal of a session: that of its main agent, and those of its children. */
  async endSession(sessionKey: string): Promise<void> {
    const own = [...this.#leases].filter(([, lease]) => lease.sessionKey === sessionKey);
    await Promise.all(own.map(([taskId]) => this.release(taskId)));
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

  #open(task: ToolTask): Lease {
    const { taskId, scope } = task;
    const touch = (): void => {
      lease.lastUsedMs = this.#deps.clock.now();
    };
    const { texts } = scope.terminal;
    const opening = this.#deps.open(task, this.#ending.signal).then((terminal) => {
      const isLent = texts !== undefined && terminal.kind === "local";
      const files = isLent ? withEditorTexts(terminal.files, texts) : terminal.files;
      return new LeasedTerminal(terminal, { touch, files });
    });
    const lease: Lease = {
      sessionKey: scope.key,
      terminal: opening,
      opened: undefined,
      lastUsedMs: this.#deps.clock.now(),
    };
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
