import { wilson } from "../statistics.ts";
import type { RunEvent } from "./run-event.ts";

/** How far a run is, for whoever draws it. */
export interface ProgressView {
  readonly title: string;
  readonly model: string;
  readonly done: number;
  readonly total: number | null;
  readonly passed: number;
  readonly errors: number;
  readonly groups: number;
  /** Of the share that passed, 95 %. */
  readonly interval: { readonly low: number; readonly high: number };
  readonly running: readonly RunningItem[];
  readonly recent: readonly FinishedItem[];
  readonly tokens: number;
  readonly cost_usd: number;
  readonly latency: { readonly p50: number; readonly p95: number };
  readonly elapsed_ms: number;
  /** Undefined until something is done. */
  readonly left_ms: number | undefined;
  readonly is_finished: boolean;
}

interface RunningItem {
  readonly item: string;
  readonly turn: number;
  readonly last: string;
}

interface FinishedItem {
  readonly item: string;
  readonly reward: number;
  readonly error: string | null;
}

const shownRecent = 12;
/** Enough for a median; the newest count. */
const keptLatencies = 1_000;

/** Adds up the events of a run. */
export class RunProgress {
  readonly #now: () => number;
  readonly #running = new Map<string, RunningItem>();
  #recent: readonly FinishedItem[] = [];
  #latencies: readonly number[] = [];
  #title = "";
  #model = "";
  #total: number | null = null;
  #startedMs: number;
  #endedMs: number | undefined;
  #counts = { done: 0, passed: 0, errors: 0, groups: 0, tokens: 0, cost_usd: 0 };

  constructor(now: () => number) {
    this.#now = now;
    this.#startedMs = now();
  }

  add(event: RunEvent): void {
    switch (event.event) {
      case "run_started":
        this.#title = `${event.env} ${event.what}`;
        this.#model = event.model;
        this.#total = event.total;
        this.#startedMs = this.#now();
        return;
      case "item_started":
        this.#running.set(event.item, { item: event.item, turn: 0, last: "" });
        return;
      case "turn":
        this.#latencies = [...this.#latencies, event.api_ms].slice(-keptLatencies);
        this.#counts.tokens += event.tokens;
        this.#counts.cost_usd += event.cost_usd;
        this.#change(event.item, { turn: event.turn });
        return;
      case "tool":
        this.#change(event.item, { last: `${event.name} ${event.preview}`.trim() });
        return;
      case "item_finished":
        this.#running.delete(event.item);
        this.#recent = [{ item: event.item, reward: event.reward, error: event.error }, ...this.#recent].slice(
          0,
          shownRecent,
        );
        this.#counts.done += 1;
        if (event.passed) this.#counts.passed += 1;
        if (event.error !== null) this.#counts.errors += 1;
        return;
      case "group_sent":
        this.#counts.groups += 1;
        return;
      case "run_finished":
        this.#endedMs = this.#now();
        return;
      case "metrics":
        return;
    }
  }

  view(): ProgressView {
    const { done, passed } = this.#counts;
    const elapsed = (this.#endedMs ?? this.#now()) - this.#startedMs;
    const left = this.#total === null || done === 0 ? undefined : (elapsed / done) * Math.max(0, this.#total - done);
    const sorted = [...this.#latencies].sort((one, other) => one - other);
    return {
      ...this.#counts,
      title: this.#title,
      model: this.#model,
      total: this.#total,
      interval: wilson(passed, done),
      running: [...this.#running.values()],
      recent: this.#recent,
      latency: { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) },
      elapsed_ms: elapsed,
      left_ms: left,
      is_finished: this.#endedMs !== undefined,
    };
  }

  #change(item: string, change: Partial<RunningItem>): void {
    const known = this.#running.get(item);
    if (known !== undefined) this.#running.set(item, { ...known, ...change });
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
