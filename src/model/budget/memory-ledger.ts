import {
  type CeilingReached,
  type Ceilings,
  isReached,
  limitsOf,
  type MoneyLedger,
  type PlannedCall,
  reservationLifeMs,
  type SettledCall,
  type Spending,
} from "#conversation";
import type { Clock } from "#foundation/time/clock";

interface Entry {
  readonly call: PlannedCall;
  readonly atMs: number;
  /** Undefined while the call is under way. */
  readonly settled?: { readonly usd: number | undefined; readonly isEstimated: boolean } | undefined;
}

/** The account of one process that keeps nothing. */
export class MemoryMoneyLedger implements MoneyLedger {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async hold(id: string, call: PlannedCall, ceilings: Ceilings): Promise<readonly CeilingReached[]> {
    const reached = limitsOf(call.spender, ceilings).flatMap(({ ceiling, limitUsd, by }) => {
      const { usd: spentUsd } = this.#spent(by);
      return isReached(limitUsd, spentUsd, call.usd) ? [{ ceiling, limitUsd, spentUsd }] : [];
    });
    if (reached.length === 0 || !ceilings.isHard) this.#entries.set(id, { call, atMs: this.#clock.now() });
    return reached;
  }

  async settle(id: string, { usage, cost, ...call }: SettledCall): Promise<void> {
    const atMs = this.#entries.get(id)?.atMs ?? this.#clock.now();
    this.#entries.set(id, { call, atMs, settled: { usd: cost.usd, isEstimated: usage.isEstimated === true } });
  }

  async release(id: string): Promise<void> {
    if (this.#entries.get(id)?.settled === undefined) this.#entries.delete(id);
  }

  async spent(by: Parameters<MoneyLedger["spent"]>[0]): Promise<Spending> {
    return this.#spent(by);
  }

  #spent({ sinceMs = 0, sessionId, treeId, userId }: Parameters<MoneyLedger["spent"]>[0]): Spending {
    const aliveSince = this.#clock.now() - reservationLifeMs;
    const counted = [...this.#entries.values()].filter(
      ({ call: { spender }, atMs, settled }) =>
        (settled !== undefined || atMs > aliveSince) &&
        atMs >= sinceMs &&
        (sessionId === undefined || spender.sessionId === sessionId) &&
        (treeId === undefined || spender.treeId === treeId) &&
        (userId === undefined || spender.userId === userId),
    );
    return {
      usd: counted.reduce((sum, { call, settled }) => sum + (settled?.usd ?? call.usd), 0),
      calls: counted.length,
      unpricedCalls: counted.filter(({ settled }) => settled !== undefined && settled.usd === undefined).length,
      estimatedCalls: counted.filter(({ settled }) => settled?.isEstimated === true).length,
    };
  }
}
