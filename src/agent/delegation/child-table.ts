import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { Slots } from "#foundation/lifecycle/slots";
import type { Clock } from "#foundation/time/clock";
import { within } from "../memory/bounded.ts";

/** A child that is at work, for people who look. */
export interface ActiveChild {
  readonly id: string;
  readonly parentId?: string;
  readonly goal: string;
  readonly depth: number;
  readonly startedAtMs: number;
}

interface Entry {
  readonly child: ActiveChild;
  stop(message?: string): void;
}

export interface ChildTableOptions {
  /** `delegation.max_total_children`. */
  readonly maxTotalChildren?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const defaultMaxTotal = 12;
const closingMs = 10_000;

/** All children of this process: how many may run, whether new ones may start, and how to stop one. */
export class ChildTable implements AsyncDisposable {
  readonly slots: Slots;
  readonly #options: ChildTableOptions;
  readonly #active = new Map<string, Entry>();
  readonly #lingering = new Set<Promise<unknown>>();
  #isPaused = false;

  constructor(options: ChildTableOptions) {
    this.#options = options;
    this.slots = new Slots(options.maxTotalChildren ?? defaultMaxTotal);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** New children are refused from now on; running ones go on. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  list(): readonly ActiveChild[] {
    return [...this.#active.values()].map((entry) => entry.child);
  }

  /** Stops one child and what it started; false when there is none with this id. */
  interrupt(id: string, message?: string): boolean {
    const entry = this.#active.get(id);
    entry?.stop(message);
    return entry !== undefined;
  }

  /** Shows a child until it is disposed. */
  add(child: ActiveChild, stop: (message?: string) => void): Disposable {
    const entry = { child, stop };
    this.#active.set(child.id, entry);
    return {
      [Symbol.dispose]: () => {
        if (this.#active.get(child.id) === entry) this.#active.delete(child.id);
      },
    };
  }

  /** Keeps hold of work that was reported as ended before it really had. */
  linger(work: Promise<unknown>): void {
    this.#lingering.add(work);
    const forget = (): void => void this.#lingering.delete(work);
    work.then(forget, forget);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isPaused = true;
    for (const entry of this.#active.values()) entry.stop();
    const { clock, logger } = this.#options;
    const never = new AbortController();
    try {
      const all = () => Promise.allSettled([...this.#lingering]);
      await within(all, { clock, timeoutMs: closingMs, signal: never.signal });
    } catch (error) {
      logger.warn("children did not stop in time", { left: this.#lingering.size, reason: describe(error) });
    }
  }
}
