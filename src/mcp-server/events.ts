import { linkSignals } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Mutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";
import type { Conversations, SpokenMessage } from "#session";
import { type EventPage, EventQueue, type ServedEvent } from "./event-queue.ts";

export interface EventsDeps {
  readonly conversations: Pick<Conversations, "now" | "since">;
  readonly clock: Clock;
  /** Text as it may be shown to a client. */
  shown(text: string): string;
}

export interface EventFilter {
  readonly cursor: number;
  readonly key: string | undefined;
  readonly limit: number;
}

/** Other programs write to the same store and tell nobody; while somebody waits, it is looked at this often. */
const lookEveryMs = 500;
const keptIds = 5_000;

/**
 * What happens in all conversations of this home. Messages are read from the store, whoever wrote them;
 * approvals come from the sessions this server runs.
 *
 * 1. Nothing is read while nobody asks.
 * 2. A message is told once, also when compression writes it again into a new part.
 */
export class Events {
  readonly #deps: EventsDeps;
  readonly #queue = new EventQueue();
  readonly #reading = new Mutex();
  readonly #startedAtMs: number;
  #told: ReadonlySet<string> = new Set();
  #position: number | undefined;
  #nudge = new Deferred<void>();

  constructor(deps: EventsDeps) {
    this.#deps = deps;
    this.#startedAtMs = deps.clock.now();
  }

  /** From here on messages count as new. */
  async start(): Promise<void> {
    this.#position ??= await this.#deps.conversations.now();
  }

  get cursor(): number {
    return this.#queue.newest;
  }

  add(event: ServedEvent): void {
    this.#queue.add(event);
    this.nudge();
  }

  /** Something may have been written: whoever waits looks at once. */
  nudge(): void {
    this.#nudge.resolve();
    this.#nudge = new Deferred<void>();
  }

  async poll(wanted: EventFilter, signal: AbortSignal): Promise<EventPage> {
    await this.#read(signal);
    return this.#queue.after(wanted.cursor, wanted);
  }

  /** The first events after the cursor; an empty page when the time is over. */
  async wait(
    wanted: EventFilter,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<EventPage> {
    const { clock } = this.#deps;
    const endMs = clock.now() + timeoutMs;
    for (;;) {
      const nudged = this.#nudge.promise;
      const page = await this.poll(wanted, signal);
      const leftMs = endMs - clock.now();
      if (page.events.length > 0 || leftMs <= 0) return page;
      const over = new AbortController();
      const slept = clock.sleep(Math.min(lookEveryMs, leftMs), linkSignals(signal, over.signal));
      await Promise.race([slept, nudged]);
      over.abort();
      await slept.catch(() => signal.throwIfAborted());
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    await this.#reading.run(async () => {
      await this.start();
      for (;;) {
        signal.throwIfAborted();
        const from = this.#position ?? 0;
        const { location, messages } = await this.#deps.conversations.since(from);
        for (const message of messages) this.#tell(message);
        this.#position = location;
        if (location === from) return;
      }
    }, signal);
  }

  #tell({ key, id, role, text, atMs }: SpokenMessage): void {
    if (atMs < this.#startedAtMs - 1_000 || this.#told.has(id)) return;
    this.#told = new Set([...[...this.#told].slice(1 - keptIds), id]);
    const at = new Date(atMs).toISOString();
    this.#queue.add({ type: "message", session_key: key, message_id: id, role, text: this.#deps.shown(text), at });
  }
}
