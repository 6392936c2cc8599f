import type { Cost } from "#conversation";
import { Mutex } from "#foundation/lifecycle/mutex";
import { newId } from "#foundation/text/ids";
import type { Clock } from "#foundation/time/clock";
import { fromNanoUsd, type NanoUsd, toNanoUsd } from "../catalog/cost.ts";
import { type DayLedger, dayOf, MemoryDayLedger, reservedNano, withoutExpired } from "./day-ledger.ts";
import type { CallEstimate } from "./estimate.ts";
import { type BudgetLimits, type Ceiling, ceilingNano, hasCeiling } from "./limits.ts";

/** Who spends: a session, and the delegated task it belongs to, if any. */
export interface Spender {
  readonly sessionId: string;
  /** The session at the root of the delegation. */
  readonly treeId?: string;
}

export interface CeilingReached {
  readonly ceiling: Ceiling;
  /** Dollars spent and set aside before this call. */
  readonly spentUsd: number;
  readonly limitUsd: number;
}

export type ReserveOutcome =
  | {
      readonly kind: "reserved";
      readonly id: string;
      /** Ceilings that are passed although the call may go on; each is told once per session. */
      readonly warnings: readonly CeilingReached[];
      /** A limit is set, the price is unknown, and an assumption is counted: to be told, not hidden. */
      readonly isAssumed: boolean;
    }
  | ({ readonly kind: "refused"; readonly reason: "limit" } & CeilingReached)
  | { readonly kind: "refused"; readonly reason: "unknown-price" };

export interface BudgetGateDeps {
  /** Asked for every call: limits may change while a session runs. */
  limits(): BudgetLimits;
  readonly clock: Clock;
  readonly day?: DayLedger;
}

interface Account {
  readonly spentNano: NanoUsd;
  readonly reservedNano: NanoUsd;
}

interface Reservation {
  readonly spender: Spender;
  readonly nanoUsd: NanoUsd;
  readonly day: string;
}

/** A call that lasts longer than this has died with its process. */
const reservationLifeMs = 2 * 3_600_000;
const nothing: Account = { spentNano: 0, reservedNano: 0 };

/**
 * The gate every model call passes, also side calls: money is set aside before and accounted for
 * after. Invariants:
 *
 * 1. Checking and setting aside are one step; two calls at the same time never both fit into room for one.
 * 2. In hard mode the sum of what is spent and set aside passes a ceiling only by what a call costs
 *    more than its estimate.
 * 3. Every reservation ends exactly once, by {@link settle} or {@link release}; a second end does nothing.
 * 4. An unknown price is never zero: it counts by assumption.
 */
export class BudgetGate {
  readonly #deps: BudgetGateDeps;
  readonly #day: DayLedger;
  readonly #mutex = new Mutex();
  readonly #accounts = new Map<string, Account>();
  readonly #reservations = new Map<string, Reservation>();
  readonly #warned = new Set<string>();

  constructor(deps: BudgetGateDeps) {
    this.#deps = deps;
    this.#day = deps.day ?? new MemoryDayLedger();
  }

  /** What a resumed session or tree had spent before this process knew it. Counts once. */
  open(scope: "session" | "tree", id: string, spentUsd: number): void {
    const key = `${scope}:${id}`;
    if (!this.#accounts.has(key)) this.#accounts.set(key, { ...nothing, spentNano: toNanoUsd(spentUsd) });
  }

  spentUsd(scope: "session" | "tree", id: string): number {
    return fromNanoUsd(this.#account(`${scope}:${id}`).spentNano);
  }

  /** Sets money aside, or says which ceiling is in the way. */
  async reserve(spender: Spender, estimate: CallEstimate, signal: AbortSignal): Promise<ReserveOutcome> {
    return this.#mutex.run(async () => {
      const limits = this.#deps.limits();
      const isHard = limits.mode === "hard";
      if (estimate.isAssumed && isHard && limits.unknownPrice === "refuse" && hasCeiling(limits))
        return { kind: "refused", reason: "unknown-price" };
      const id = newId("res");
      const reached = scopesOf(spender).flatMap(([ceiling, key]) =>
        reachedCeiling(ceiling, this.#account(key), { limits, nanoUsd: estimate.nanoUsd }),
      );
      const [first] = reached;
      if (first !== undefined && isHard) return { kind: "refused", reason: "limit", ...first };
      const nowMs = this.#deps.clock.now();
      const dayReached = await this.#reserveDay(id, estimate.nanoUsd, { limits, nowMs, signal });
      if (dayReached !== undefined && isHard) return { kind: "refused", reason: "limit", ...dayReached };
      this.#hold(id, { spender, nanoUsd: estimate.nanoUsd, day: dayOf(nowMs) });
      const warnings = this.#untold(spender, dayReached === undefined ? reached : [...reached, dayReached]);
      return { kind: "reserved", id, warnings, isAssumed: estimate.isAssumed && hasCeiling(limits) };
    }, signal);
  }

  /**
   * The call is over and cost this much. An unknown cost counts as what was set aside. The signal is
   * for waiting on the ledger only: give one that has not fired, also when the turn was interrupted.
   */
  async settle(id: string, cost: Cost, signal: AbortSignal): Promise<void> {
    const isUnpriced = cost.usd === undefined;
    await this.#end(id, signal, (reservation) => ({
      spentNano: isUnpriced ? reservation.nanoUsd : toNanoUsd(cost.usd ?? 0),
      unpricedCalls: isUnpriced ? 1 : 0,
    }));
  }

  /** The call did not happen. */
  async release(id: string, signal: AbortSignal): Promise<void> {
    await this.#end(id, signal, () => ({ spentNano: 0, unpricedCalls: 0 }));
  }

  async #end(
    id: string,
    signal: AbortSignal,
    costOf: (reservation: Reservation) => { readonly spentNano: NanoUsd; readonly unpricedCalls: number },
  ): Promise<void> {
    const reservation = this.#reservations.get(id);
    if (reservation === undefined) return;
    this.#reservations.delete(id);
    const { spentNano, unpricedCalls } = costOf(reservation);
    for (const [, key] of scopesOf(reservation.spender)) {
      const account = this.#account(key);
      this.#accounts.set(key, {
        spentNano: account.spentNano + spentNano,
        reservedNano: account.reservedNano - reservation.nanoUsd,
      });
    }
    await this.#day.change(
      reservation.day,
      (entry) => {
        const { [id]: _ended, ...reservations } = entry.reservations;
        const spent = entry.spentNano + spentNano;
        return {
          entry: { spentNano: spent, reservations, unpricedCalls: entry.unpricedCalls + unpricedCalls },
          result: undefined,
        };
      },
      signal,
    );
  }

  /** The day is checked and booked in one change of the ledger, since other processes book there too. */
  #reserveDay(
    id: string,
    nanoUsd: NanoUsd,
    at: { readonly limits: BudgetLimits; readonly nowMs: number; readonly signal: AbortSignal },
  ): Promise<CeilingReached | undefined> {
    const { nowMs } = at;
    return this.#day.change(
      dayOf(nowMs),
      (before) => {
        const entry = withoutExpired(before, nowMs);
        const account = { spentNano: entry.spentNano, reservedNano: reservedNano(entry) };
        const [result] = reachedCeiling("day", account, { limits: at.limits, nanoUsd });
        if (result !== undefined && at.limits.mode === "hard") return { entry, result };
        // Money is set aside for a ceiling; without one, what was spent is counted when the call is over.
        if (ceilingNano(at.limits, "day") === undefined) return { entry: before, result };
        const reservation = { nanoUsd, expiresAtMs: nowMs + reservationLifeMs };
        return { entry: { ...entry, reservations: { ...entry.reservations, [id]: reservation } }, result };
      },
      at.signal,
    );
  }

  #hold(id: string, reservation: Reservation): void {
    this.#reservations.set(id, reservation);
    for (const [, key] of scopesOf(reservation.spender)) {
      const account = this.#account(key);
      this.#accounts.set(key, { ...account, reservedNano: account.reservedNano + reservation.nanoUsd });
    }
  }

  #untold(spender: Spender, reached: readonly CeilingReached[]): readonly CeilingReached[] {
    return reached.filter(({ ceiling }) => {
      const key = `${spender.sessionId}:${ceiling}`;
      if (this.#warned.has(key)) return false;
      this.#warned.add(key);
      return true;
    });
  }

  #account(key: string): Account {
    return this.#accounts.get(key) ?? nothing;
  }
}

function scopesOf(spender: Spender): readonly (readonly ["session" | "tree", string])[] {
  const session = ["session", `session:${spender.sessionId}`] as const;
  return spender.treeId === undefined ? [session] : [session, ["tree", `tree:${spender.treeId}`]];
}

/** A ceiling stands in the way when it is already reached, or when this call would pass it. */
function reachedCeiling(
  ceiling: Ceiling,
  account: Account,
  call: { readonly limits: BudgetLimits; readonly nanoUsd: NanoUsd },
): readonly CeilingReached[] {
  const limit = ceilingNano(call.limits, ceiling);
  if (limit === undefined) return [];
  const used = account.spentNano + account.reservedNano;
  // A call that costs nothing (a subscription, a server of one's own) is never in the way of a money limit.
  if (call.nanoUsd === 0 || (used < limit && used + call.nanoUsd <= limit)) return [];
  return [{ ceiling, spentUsd: fromNanoUsd(used), limitUsd: fromNanoUsd(limit) }];
}
