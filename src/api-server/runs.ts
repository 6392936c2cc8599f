import type { Clock } from "#foundation/time/clock";
import type { Caller } from "./callers.ts";
import type { RunningTurn } from "./turns.ts";

export type RunStatus = "running" | "completed" | "failed" | "cancelled";

export interface RunEvent {
  readonly id: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly kind: "approval" | "question";
  readonly choices: readonly string[];
}

/** A run: a turn that goes on by itself, and everything it told, for whoever looks. */
export interface Run {
  readonly id: string;
  readonly owner: string;
  readonly events: RunEvent[];
  readonly readers: Set<() => void>;
  status: RunStatus;
  output: string | undefined;
  usage: unknown;
  error: string | undefined;
  turn: RunningTurn | undefined;
  /** What it asks now, by id, and the answers that are offered: of questions none or some, and any text is one. */
  readonly asked: Map<string, Asked>;
  isStopping: boolean;
  endedAtMs: number | undefined;
}

const mostRunning = 10;
const mostEvents = 50_000;
const keptMs = 300_000;

/** The runs of this process. Ended ones are forgotten after five minutes. */
export class Runs {
  readonly #runs = new Map<string, Run>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get runningCount(): number {
    return [...this.#runs.values()].filter(({ status }) => status === "running").length;
  }

  /** Undefined when as many run as may. */
  begin(id: string, caller: Caller): Run | undefined {
    this.#forget();
    if (this.runningCount >= mostRunning) return undefined;
    const run: Run = {
      id,
      owner: caller.name,
      events: [],
      readers: new Set(),
      status: "running",
      output: undefined,
      usage: undefined,
      error: undefined,
      turn: undefined,
      asked: new Map(),
      isStopping: false,
      endedAtMs: undefined,
    };
    this.#runs.set(id, run);
    return run;
  }

  find(id: string, caller: Caller): Run | undefined {
    const run = this.#runs.get(id);
    return run?.owner === caller.name ? run : undefined;
  }

  tell(run: Run, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const timestamp = this.#clock.now() / 1000;
    if (run.events.length >= mostEvents && event === "message.delta") return;
    run.events.push({ id: run.events.length + 1, fields: { event, run_id: run.id, timestamp, ...fields } });
    for (const wake of run.readers) wake();
  }

  end(run: Run, status: Exclude<RunStatus, "running">): void {
    run.status = status;
    run.endedAtMs = this.#clock.now();
    for (const wake of run.readers) wake();
  }

  #forget(): void {
    const beforeMs = this.#clock.now() - keptMs;
    for (const [id, { endedAtMs }] of this.#runs)
      if (endedAtMs !== undefined && endedAtMs < beforeMs) this.#runs.delete(id);
  }
}
