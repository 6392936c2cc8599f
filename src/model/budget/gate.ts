import {
  type CeilingReached,
  type Ceilings,
  type Cost,
  limitsOf,
  type MoneyLedger,
  type PlannedCall,
  type Spender,
  type Usage,
} from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import { newId } from "#foundation/text/ids";
import type { Clock } from "#foundation/time/clock";
import { fromNanoUsd } from "../catalog/cost.ts";
import type { Target } from "../target.ts";
import type { CallEstimate } from "./estimate.ts";
import { type BudgetLimits, hasCeiling } from "./limits.ts";

/** Who calls which model for what. */
export interface Caller {
  readonly spender: Spender;
  /** `main`, or the task of a side call. */
  readonly purpose: string;
  readonly target: Pick<Target, "provider" | "model">;
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

/** A limit, and what of it is used. */
export interface Standing extends CeilingReached {
  /** The server did not count the tokens of some of the calls. */
  readonly isEstimated: boolean;
}

export interface BudgetGateDeps {
  /** Asked for every call: limits may change while a session runs. */
  limits(): BudgetLimits;
  readonly ledger: MoneyLedger;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The gate every model call passes, also side calls: money is set aside before and accounted for
 * after. Invariants:
 *
 * 1. In hard mode the sum of what is spent and set aside passes a ceiling only by what a call costs
 *    more than its estimate. A ledger that cannot be asked then stops the call: a limit must not vanish with a broken disk.
 * 2. Every reservation ends exactly once, by {@link settle} or {@link release}; a second end does nothing.
 * 3. An unknown price is never zero: it counts by assumption.
 * 4. What a call cost never takes its answer away: an entry that cannot be written stays set aside.
 */
export class BudgetGate {
  readonly #deps: BudgetGateDeps;
  readonly #open = new Map<string, { readonly call: PlannedCall; readonly isHeld: boolean }>();
  readonly #warned = new Set<string>();

  constructor(deps: BudgetGateDeps) {
    this.#deps = deps;
  }

  /** Sets money aside, or says which ceiling is in the way. */
  async reserve({ spender, purpose, target }: Caller, estimate: CallEstimate): Promise<ReserveOutcome> {
    const limits = this.#deps.limits();
    const ceilings = this.#ceilings(limits);
    if (estimate.isAssumed && ceilings.isHard && limits.unknownPrice === "refuse" && hasCeiling(limits))
      return { kind: "refused", reason: "unknown-price" };
    const id = newId("res");
    const { provider, model } = target;
    const call = { spender, purpose, provider, model, usd: fromNanoUsd(estimate.nanoUsd) };
    // Without a ceiling nothing is set aside. A call that costs nothing (a subscription, a server of one's own) is never in the way.
    const isHeld = estimate.nanoUsd > 0 && hasCeiling(limits);
    const reached = isHeld ? await this.#deps.ledger.hold(id, call, ceilings) : [];
    const [first] = reached;
    if (first !== undefined && ceilings.isHard) return { kind: "refused", reason: "limit", ...first };
    this.#open.set(id, { call, isHeld });
    const warnings = this.#untold(spender, reached);
    return { kind: "reserved", id, warnings, isAssumed: estimate.isAssumed && hasCeiling(limits) };
  }

  /** The call is over and cost this much. An unknown cost counts as what was set aside. */
  async settle(id: string, { usage, cost }: { readonly usage: Usage; readonly cost: Cost }): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    const { ledger, logger } = this.#deps;
    const call = { ...open.call, usage, cost };
    await quietly("accounting for a call", () => ledger.settle(id, call), { logger, level: "error" });
  }

  /** The call did not happen. */
  async release(id: string): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    const { ledger, logger } = this.#deps;
    if (open.isHeld) await quietly("giving money back", () => ledger.release(id), { logger });
  }

  /** Every limit that holds for somebody, with what of it is used. */
  async standing(spender: Spender): Promise<readonly Standing[]> {
    const limits = limitsOf(spender, this.#ceilings(this.#deps.limits()));
    return await Promise.all(
      limits.map(async ({ ceiling, limitUsd, by }) => {
        const { usd: spentUsd, estimatedCalls } = await this.#deps.ledger.spent(by);
        return { ceiling, limitUsd, spentUsd, isEstimated: estimatedCalls > 0 };
      }),
    );
  }

  #ceilings(limits: BudgetLimits): Ceilings {
    return {
      session: limits.sessionUsd,
      tree: limits.treeUsd,
      user: limits.userDayUsd,
      day: limits.dayUsd,
      isHard: limits.mode === "hard",
      dayStartMs: new Date(this.#deps.clock.now()).setHours(0, 0, 0, 0),
    };
  }

  #untold(spender: Spender, reached: readonly CeilingReached[]): readonly CeilingReached[] {
    return reached.filter(({ ceiling }) => {
      const key = `${spender.sessionId}:${ceiling}`;
      if (this.#warned.has(key)) return false;
      this.#warned.add(key);
      return true;
    });
  }
}
