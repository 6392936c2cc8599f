import { type ExitReason, lastAssistant, type Message, promptTokens, totalTokens } from "#conversation";
import type { Conversation } from "./conversation.ts";
import { flagsOf, type TurnOutcome } from "./outcome.ts";
import type { Turn } from "./turn.ts";

/** What a turn gives back. Every ending fills every field. */
export interface TurnResult {
  readonly final_response: string | null;
  readonly last_reasoning: string | null;
  readonly messages: readonly Message[];
  readonly api_calls: number;
  readonly completed: boolean;
  readonly partial: boolean;
  readonly failed: boolean;
  readonly interrupted: boolean;
  readonly compression_exhausted: boolean;
  readonly error: string | null;
  readonly error_class: string | null;
  readonly exit_reason: ExitReason;
  readonly interrupt_message: string | null;
  readonly pending_steer: string | null;
  readonly response_previewed: boolean;
  readonly session_id: string;
  readonly model: string;
  readonly provider: string;
  readonly base_url: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly last_prompt_tokens: number;
  readonly estimated_cost_usd: number | null;
  readonly cost_status: string;
  readonly cost_source: string;
}

export interface ResultFacts {
  readonly turn: Turn;
  readonly conversation: Conversation;
  readonly outcome: TurnOutcome;
  readonly apiCalls: number;
  readonly interruptMessage?: string;
  readonly pendingSteer?: string;
  readonly wasPreviewed: boolean;
}

export function resultOf(facts: ResultFacts): TurnResult {
  const { turn, conversation, outcome } = facts;
  const { usage, cost } = conversation;
  return {
    final_response: outcome.text ?? null,
    last_reasoning: lastAssistant(turn.ownMessages())?.reasoning ?? null,
    messages: turn.history,
    api_calls: facts.apiCalls,
    ...flagsOf(outcome.exitReason),
    compression_exhausted: outcome.isCompressionExhausted === true,
    error: outcome.error ?? null,
    error_class: outcome.errorClass ?? null,
    exit_reason: outcome.exitReason,
    interrupt_message: facts.interruptMessage ?? null,
    pending_steer: facts.pendingSteer ?? null,
    response_previewed: facts.wasPreviewed,
    session_id: turn.sessionId,
    model: turn.target.model,
    provider: turn.target.provider,
    base_url: turn.target.baseUrl,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    prompt_tokens: promptTokens(usage),
    completion_tokens: usage.output,
    total_tokens: totalTokens(usage),
    last_prompt_tokens: conversation.lastPromptTokens,
    estimated_cost_usd: cost?.usd ?? null,
    cost_status: cost?.status ?? "unknown",
    cost_source: cost?.source ?? "none",
  };
}
