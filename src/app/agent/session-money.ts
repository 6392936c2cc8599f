import { budgetedMoney, type CallMoney } from "#agent";
import type { AgentEvent, SessionId } from "#conversation";
import type { Models } from "#model";

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
  models.budget.open("session", sessionId, spentUsd);
  return budgetedMoney({
    gate: models.budget,
    limits: () => models.budgetLimits(),
    quote: (target) => models.catalog.catalog.prices(models.question(target)),
    treeId: treeId ?? sessionId,
    warn: (text) => emit({ type: "notice", level: "warn", text }),
  });
}
