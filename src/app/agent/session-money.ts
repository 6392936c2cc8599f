import type { CallMoney } from "#agent";
import type { AgentEvent, SessionId } from "#conversation";
import { describeCeiling, describeRefusal, estimateCall, type ModelFailure } from "#model";
import type { Models } from "../wire-model.ts";

export interface SessionMoney {
  readonly models: Models;
  /** What the session had cost before this process knew it. */
  readonly spentUsd: number;
  readonly sessionId: SessionId;
  /** The session at the root of a delegation. */
  readonly treeId?: SessionId;
  emit(event: AgentEvent): void;
}

/** Every model call of a session passes the money gate: set aside before, settled after. */
export function budgetedCalls({ models, spentUsd, sessionId, treeId, emit }: SessionMoney): CallMoney {
  const { budget, catalog } = models;
  budget.open("session", sessionId, spentUsd);
  const spender = { sessionId, treeId: treeId ?? sessionId };
  return {
    async reserve(request, facts, signal) {
      const quote = catalog.catalog.prices(models.question(request.target));
      const { maxOutputTokens } = request.options;
      const call = {
        promptTokens: facts.estimatedTokens,
        quote,
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      };
      const outcome = await budget.reserve(spender, estimateCall(call, models.budgetLimits()), signal);
      if (outcome.kind === "refused") return { refused: refusalOf(request.target, describeRefusal(outcome)) };
      for (const reached of outcome.warnings) emit({ type: "notice", level: "warn", text: describeCeiling(reached) });
      return { id: outcome.id };
    },
    async settle(id, counted, signal) {
      const { target, usage, costUsd } = counted;
      const unknown = { status: "unknown", source: "none" } as const;
      const cost = usage === undefined ? unknown : catalog.catalog.cost(models.question(target), usage, costUsd).cost;
      await budget.settle(id, cost, signal);
      return cost;
    },
    release: (id, signal) => budget.release(id, signal),
  };
}

function refusalOf(target: { readonly provider: string; readonly model: string }, message: string): ModelFailure {
  return {
    kind: "budget_exceeded",
    provider: target.provider,
    model: target.model,
    message,
    isPartial: false,
    isRetryable: false,
    mayCompress: false,
    mayRotate: false,
    mayFallBack: false,
  };
}
