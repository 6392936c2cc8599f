import type { Clock } from "#foundation/time/clock";

interface Appointment {
  readonly atMs: number;
  readonly number: number;
  act(): Promise<void>;
}

/** A clock that stands still until the next thing happens, and everything that is going to happen, in order. */
export class Agenda {
  #nowMs: number;
  #count = 0;
  readonly #heap: Appointment[] = [];
  readonly clock: Clock;

  constructor(startMs: number) {
    this.#nowMs = startMs;
    this.clock = {
      now: () => this.#nowMs,
      sleep: () => Promise.reject(new Error("nothing sleeps here")),
    };
  }

  at(atMs: number, act: () => Promise<void>): void {
    this.#count += 1;
    this.#push({ atMs: Math.max(atMs, this.#nowMs), number: this.#count, act });
  }

  /** Lets everything happen. */
  async play(): Promise<void> {
    for (let next = this.#pop(); next !== undefined; next = this.#pop()) {
      this.#nowMs = next.atMs;
      await next.act();
    }
  }

  #push(one: Appointment): void {
    const heap = this.#heap;
    heap.push(one);
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #pop(): Appointment | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < heap.length && this.#isBefore(left, least)) least = left;
      if (right < heap.length && this.#isBefore(right, least)) least = right;
      if (least === at) return first;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(left: number, right: number): boolean {
    const [one, other] = [this.#heap[left], this.#heap[right]];
    if (one === undefined || other === undefined) return false;
    return one.atMs === other.atMs ? one.number < other.number : one.atMs < other.atMs;
  }

  #swap(left: number, right: number): void {
    const [one, other] = [this.#heap[left], this.#heap[right]];
    if (one === undefined || other === undefined) return;
    this.#heap[left] = other;
    this.#heap[right] = one;
  }
}
