import { type Spender, unknownCost } from "#conversation";
import { defined } from "#foundation/defined";
import {
  assumedPriceNotice,
  type BudgetGate,
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
import type { CallMoney } from "../turn/request/call-model.ts";

export interface BudgetedMoneyDeps {
  readonly gate: BudgetGate;
  /** What the tokens of this target cost, as far as anybody knows. */
  quote(target: Target): PriceQuote | Promise<PriceQuote>;
  readonly spender: Spender;
  /** What the calls are for, in the account. */
  readonly purpose: string;
  /** Soft ceilings that were passed, and prices that had to be assumed: each is told once. */
  warn(text: string): void;
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
    async reserve(request, { estimatedTokens }, signal) {
      signal.throwIfAborted();
      const quote = await deps.quote(request.target);
      const output = request.options.maxOutputTokens ?? request.target.limits.defaultOutputTokens;
      const call = {
        promptTokens: estimatedTokens,
        quote,
        ...defined({ maxOutputTokens: output }),
      };
      const { spender, purpose } = deps;
      const caller = { spender, purpose, target: request.target };
      const outcome = await deps.gate.reserve(caller, estimateCall(call));
      if (outcome.kind === "refused") return { refused: refusalOf(request, describeRefusal(outcome)) };
      for (const reached of outcome.warnings) deps.warn(describeCeiling(reached));
      if (outcome.isAssumed) warnOnce(request.target.model, assumedPriceNotice);
      quotes.set(outcome.id, quote);
      return { id: outcome.id };
    },
    async settle(id, counted) {
      const quote = quotes.get(id);
      quotes.delete(id);
      const { usage, costUsd } = counted;
      // Nobody knows the price: such a call costs what was set aside.
      const cost = quote === undefined ? unknownCost : costOfCall(usage, quote, costUsd).cost;
      await deps.gate.settle(id, { usage, cost });
      return cost;
    },
    async release(id) {
      quotes.delete(id);
      await deps.gate.release(id);
    },
  };
}

function refusalOf({ target }: ModelRequest, message: string): ModelFailure {
  return localFailure("budget_exceeded", target, { message });
}
