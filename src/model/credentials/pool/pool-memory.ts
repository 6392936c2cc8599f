/** What a process remembers about one pool between two uses; the store holds the rest. */
export interface PoolState {
  /** How many hold each entry right now. */
  readonly leases: Map<string, number>;
  /** How often each entry was handed out since the store was last written. */
  readonly taken: Map<string, number>;
  /** Entries whose last answer was a rate limit; a second one in a row rotates. */
  readonly limitedOnce: Set<string>;
  lastId: string | undefined;
}

export function newPoolState(): PoolState {
  return { leases: new Map(), taken: new Map(), limitedOnce: new Set(), lastId: undefined };
}

/** One state per pool, however often the pool is opened: children of a session spread over the same entries. */
export class PoolMemory {
  readonly #states = new Map<string, PoolState>();

  of(key: string): PoolState {
    const known = this.#states.get(key) ?? newPoolState();
    this.#states.set(key, known);
    return known;
  }
}
