import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { AgentEvent } from "./agent-event.ts";

/** Who hears of every event before the surfaces do, first to last. */
export const observerOrder = [
  /** Counts what a turn takes and shows, for its result. */
  "figures",
  /** Knows what a quiet turn waits for. */
  "activity",
  /** Tells the context engine what the provider counted. */
  "compression",
  /** Keeps the ledger of the session. */
  "usage",
  /** Knows which child agents are at work. */
  "children",
  /** Explains something to a newcomer. */
  "hints",
  /** Tells other programs what waits for a person here. */
  "approvals",
  /** Tells a collector how long the work took. */
  "traces",
  /** Tells a surface what was done beside the conversation, also when that has let go of it. */
  "asides",
  /** Keeps what a surface that comes back has missed. */
  "recent",
] as const;

export type ObserverName = (typeof observerOrder)[number];

export interface Observer<E = AgentEvent> {
  /** Every event passes here. A session sends more kinds on the same bus; pass over what is not known. */
  note(event: E, seq: number): void;
}

interface Entry<E> {
  readonly rank: number;
  readonly observer: Observer<E>;
}

/** Where an agent writes what happens, and where whoever belongs to the agent listens. */
export interface AgentEvents {
  emit(event: AgentEvent): void;
  observe(name: ObserverName, observer: Observer): Disposable;
}

const mostKept = 50;
const surfaceRank = observerOrder.length;

/**
 * Tells what happens to everyone who needs to know, in order.
 *
 * 1. Observers hear an event in the order of `observerOrder`, then the surfaces in the order they came.
 * 2. Nobody can stop an event: who throws is passed over, and a surface that throws is told nothing more.
 * 3. A notice that comes before any surface waits for the first one.
 * 4. Every event has a number; numbers only grow.
 */
export class EventBus<E extends { readonly type: string } = AgentEvent> {
  readonly #logger: Logger;
  #entries: readonly Entry<E>[] = [];
  #unheard: { readonly event: E; readonly seq: number }[] = [];
  #seq = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** A surface is there. */
  get hasListeners(): boolean {
    return this.#entries.at(-1)?.rank === surfaceRank;
  }

  emit(event: E): void {
    this.#seq += 1;
    const seq = this.#seq;
    if (event.type === "notice" && !this.hasListeners && this.#unheard.length < mostKept)
      this.#unheard.push({ event, seq });
    for (const entry of this.#entries) {
      try {
        entry.observer.note(event, seq);
      } catch (error) {
        this.#failed(entry, event, error);
      }
    }
  }

  observe(name: ObserverName, observer: Observer<E>): Disposable {
    return this.#add({ rank: observerOrder.indexOf(name), observer });
  }

  /** A surface that draws events. */
  subscribe(listener: (event: E, seq: number) => void): Disposable {
    const entry = { rank: surfaceRank, observer: { note: listener } };
    const subscription = this.#add(entry);
    for (const { event, seq } of this.#unheard.splice(0)) {
      try {
        listener(event, seq);
      } catch (error) {
        this.#failed(entry, event, error);
      }
    }
    return subscription;
  }

  #failed(entry: Entry<E>, event: E, error: unknown): void {
    const isSurface = entry.rank === surfaceRank;
    if (isSurface) this.#remove(entry);
    const who = isSurface ? "a surface" : observerOrder[entry.rank];
    this.#logger.warn("an event could not be told", { event: event.type, who, error: describe(error) });
  }

  #add(entry: Entry<E>): Disposable {
    const after = this.#entries.findLastIndex(({ rank }) => rank <= entry.rank) + 1;
    this.#entries = this.#entries.toSpliced(after, 0, entry);
    return { [Symbol.dispose]: () => this.#remove(entry) };
  }

  #remove(gone: Entry<E>): void {
    this.#entries = this.#entries.filter((entry) => entry !== gone);
  }
}
