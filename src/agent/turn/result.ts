import { flagsOf, lastAssistant, type TurnResult } from "#conversation";
import type { Conversation } from "../conversation.ts";
import type { TurnOutcome } from "./outcome.ts";
import type { Turn } from "./turn.ts";
import type { TurnFigures } from "./turn-figures.ts";

export interface ResultFacts {
  readonly turn: Turn;
  readonly conversation: Conversation;
  readonly outcome: TurnOutcome;
  readonly figures: TurnFigures;
  readonly interruptMessage: string | undefined;
  readonly pendingSteer: string | undefined;
  readonly wasPreviewed: boolean;
}

/** Every ending fills every field. */
export function resultOf(facts: ResultFacts): TurnResult {
  const { turn, conversation, outcome, figures } = facts;
  const { model, provider, baseUrl } = turn.target;
  return {
    sessionId: turn.sessionId,
    text: outcome.text,
    exitReason: outcome.exitReason,
    ...flagsOf(outcome.exitReason),
    error: outcome.error,
    errorClass: outcome.errorClass,
    errorCode: outcome.errorCode,
    model,
    provider,
    baseUrl,
    fallbackUsed: figures.fallbackUsed,
    apiCalls:
      turn.steps.taken + (outcome.exitReason === "max_iterations_reached" && outcome.text !== undefined ? 1 : 0),
    usage: figures.usage,
    cost: figures.cost,
    contextTokens: conversation.lastPromptTokens,
    toolCalls: figures.toolCalls,
    messages: turn.history,
    reasoning: lastAssistant(turn.ownMessages())?.reasoning ?? undefined,
    wasPreviewed: facts.wasPreviewed,
    isCompressionExhausted: outcome.isCompressionExhausted === true,
    interruptMessage: facts.interruptMessage,
    pendingSteer: facts.pendingSteer,
  };
}
