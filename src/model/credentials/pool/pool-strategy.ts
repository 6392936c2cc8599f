export type PoolStrategy = "fill_first" | "round_robin" | "least_used" | "random";

const poolStrategies: readonly PoolStrategy[] = ["fill_first", "round_robin", "least_used", "random"];

export function toPoolStrategy(value: unknown): PoolStrategy {
  return poolStrategies.find((one) => one === value) ?? "fill_first";
}

export interface Choosable {
  readonly id: string;
  readonly priority: number;
  readonly requestCount: number;
}

export interface ChoiceState {
  /** Who was taken last, for taking turns. */
  readonly lastId: string | undefined;
  /** How many hold each entry right now; the least held come first, whatever the strategy. */
  readonly leases: ReadonlyMap<string, number>;
  random(): number;
}

/** Which of the usable entries is next. The list is never empty. */
export function chooseEntry<T extends Choosable>(
  usable: readonly [T, ...T[]],
  strategy: PoolStrategy,
  state: ChoiceState,
): T {
  const least = Math.min(...usable.map((entry) => state.leases.get(entry.id) ?? 0));
  const candidates = usable
    .filter((entry) => (state.leases.get(entry.id) ?? 0) === least)
    .sort((one, other) => one.priority - other.priority);
  const first = candidates[0] ?? usable[0];
  switch (strategy) {
    case "fill_first":
      return first;
    case "round_robin": {
      const at = candidates.findIndex((entry) => entry.id === state.lastId);
      return candidates[(at + 1) % candidates.length] ?? first;
    }
    case "least_used":
      return candidates.reduce((best, entry) => (entry.requestCount < best.requestCount ? entry : best), first);
    case "random":
      return candidates[Math.floor(state.random() * candidates.length)] ?? first;
  }
}
