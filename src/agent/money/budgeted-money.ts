import { unknownCost } from "#conversation";
import {
  assumedPriceNotice,
  type BudgetGate,
  type BudgetLimits,
  costOfCall,
  describeCeiling,
  describeRefusal,
  estimateCall,
  localFailure,
  type ModelFailure,
  type ModelRequest,
  type PriceQuote,
  type Target,
} from "#model";
import type { CallMoney, CountedCall } from "../turn/request/call-model.ts";

export interface BudgetedMoneyDeps {
  readonly gate: BudgetGate;
  /** Asked for every call: limits may change while a session runs. */
  limits(): BudgetLimits;
  /** What the tokens of this target cost, as far as anybody knows. */
  quote(target: Target): PriceQuote | Promise<PriceQuote>;
  /** The session at the root of a delegation. */
  readonly treeId?: string;
  /** Soft ceilings that were passed, and prices that had to be assumed: each is told once. */
  warn(text: string): void;
  /** Every call with what it cost, for the counters of the session. */
  counted?(call: CountedCall, priced: ReturnType<typeof costOfCall>): Promise<void>;
}

/** Sets money aside before each call and accounts for it afterwards. */
export function budgetedMoney(deps: BudgetedMoneyDeps): CallMoney {
  const quotes = new Map<string, PriceQuote>();
  const warned = new Set<string>();
  const warnOnce = (key: string, text: string): void => {
    if (!warned.has(key)) deps.warn(text);
    warned.add(key);
  };
  return {
    async reserve(request, { sessionId, estimatedTokens }, signal) {
      const quote = await deps.quote(request.target);
      const output = request.options.maxOutputTokens ?? request.target.limits.defaultOutputTokens;
      const call = {
        promptTokens: estimatedTokens,
        quote,
        ...(output === undefined ? {} : { maxOutputTokens: output }),
      };
      const spender = { sessionId, ...(deps.treeId === undefined ? {} : { treeId: deps.treeId }) };
      const outcome = await deps.gate.reserve(spender, estimateCall(call, deps.limits()), signal);
      if (outcome.kind === "refused") return { refused: refusalOf(request, describeRefusal(outcome)) };
      for (const reached of outcome.warnings) deps.warn(describeCeiling(reached));
      if (outcome.isAssumed) warnOnce(request.target.model, assumedPriceNotice);
      quotes.set(outcome.id, quote);
      return { id: outcome.id };
    },
    async settle(id, counted, signal) {
      const quote = quotes.get(id);
      quotes.delete(id);
      const priced = priceOf(counted, quote);
      const cost = priced?.cost ?? unknownCost;
      await deps.gate.settle(id, cost, signal);
      if (priced !== undefined) await deps.counted?.(counted, priced);
      return cost;
    },
    async release(id, signal) {
      quotes.delete(id);
      await deps.gate.release(id, signal);
    },
  };
}

/** Undefined when nobody knows the price: such a call costs what was set aside. */
function priceOf(
  { usage, costUsd }: CountedCall,
  quote: PriceQuote | undefined,
): ReturnType<typeof costOfCall> | undefined {
  if (quote === undefined) return undefined;
  return costOfCall(usage, quote, costUsd);
}

function refusalOf({ target }: ModelRequest, message: string): ModelFailure {
  return localFailure("budget_exceeded", target, { message });
}
