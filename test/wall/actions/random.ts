/** A small seeded generator (mulberry32): the same seed makes the same actions on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error("There is nothing to choose from.");
    return found;
  }

  shuffled<T>(list: readonly T[]): readonly T[] {
    return list
      .map((value) => [this.next(), value] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value);
  }
}
