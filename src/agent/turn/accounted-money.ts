import type { AgentDeps } from "../agent-deps.ts";
import type { CallMoney } from "./request/call-model.ts";
import type { Turn } from "./turn.ts";
import type { TurnFigures } from "./turn-figures.ts";

/** The money gate with the session's own counters behind it: every call is counted, also truncated and empty ones. */
export function accountedMoney(
  { model: { money }, conversation }: AgentDeps,
  turn: Turn,
  figures: TurnFigures,
): CallMoney {
  return {
    reserve: (request, facts, signal) => money.reserve(request, facts, signal),
    release: (id) => money.release(id),
    async settle(id, counted) {
      const cost = await money.settle(id, counted);
      const { usage } = counted;
      conversation.count(usage, cost);
      figures.count(usage, cost);
      conversation.lastPromptTokens = usage.input + usage.cacheRead + usage.cacheWrite;
      turn.emit({
        type: "usage",
        usage,
        cost,
        contextTokens: conversation.lastPromptTokens,
        contextWindow: turn.target.limits.contextWindow,
      });
      return cost;
    },
  };
}
