import type { WireEvent } from "#session";

/** What a client may wait for. */
export type ServedEvent =
  | {
      readonly type: "message";
      readonly session_key: string;
      readonly message_id: string;
      readonly role: "user" | "assistant";
      readonly text: string;
      readonly at: string;
    }
  /** An event of a session in its wire form, under the name clients know it by. */
  | (Omit<WireEvent, "type"> & {
      readonly type: "approval_requested" | "approval_resolved";
      readonly session_key: string;
    });

export type NumberedEvent = ServedEvent & { readonly cursor: number };

export interface EventPage {
  readonly events: readonly NumberedEvent[];
  /** Give this as `after_cursor` next time. */
  readonly next_cursor: number;
  /** How many events were dropped before the client asked. */
  readonly missed?: number;
}

const keptEvents = 1_000;

/** The last events, numbered; numbers only grow. An old event makes room for a new one. */
export class EventQueue {
  #events: readonly NumberedEvent[] = [];
  #newest = 0;

  get newest(): number {
    return this.#newest;
  }

  add(event: ServedEvent): void {
    this.#newest += 1;
    this.#events = [...this.#events, { ...event, cursor: this.#newest }].slice(-keptEvents);
  }

  /** A cursor from an earlier run of the server is greater than any here; it counts as the newest. */
  after(cursor: number, filter: { readonly limit: number; readonly key?: string | undefined }): EventPage {
    const from = Math.min(cursor, this.#newest);
    const later = this.#events.filter((event) => event.cursor > from);
    const wanted = filter.key === undefined ? later : later.filter((event) => event.session_key === filter.key);
    const events = wanted.slice(0, filter.limit);
    const oldest = this.#events[0]?.cursor ?? this.#newest + 1;
    const missed = Math.max(0, oldest - 1 - from);
    const isCut = wanted.length > events.length;
    return {
      events,
      next_cursor: isCut ? (events.at(-1)?.cursor ?? from) : this.#newest,
      ...(missed === 0 ? {} : { missed }),
    };
  }
}
