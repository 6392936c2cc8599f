import type { RequestFacts, TurnHooks } from "#agent";
import { never } from "#foundation/lifecycle/abort";
import type { SessionHooks } from "./hooks/hooks.ts";
import type { HookPayloads } from "./hooks/payloads.ts";

/** Plugins watch a turn through the names their guide promises. */
export function turnHooks(hooks: SessionHooks, platform: string): TurnHooks {
  return {
    onSessionStart: ({ sessionId, model }) =>
      hooks.notify("on_session_start", { session_id: sessionId, model, platform }, never),
    turnContext: async (facts, signal) =>
      hooks.has("pre_llm_call")
        ? hooks.turnContext(
            {
              session_id: facts.sessionId,
              user_message: facts.userText,
              conversation_history: facts.history,
              is_first_turn: facts.isFirstTurn,
              model: facts.model,
              platform,
              sender_id: null,
            },
            signal,
          )
        : undefined,
    beforeRequest: async (facts, signal) => {
      if (hooks.has("pre_api_request")) await hooks.notify("pre_api_request", requestPayload(facts, platform), signal);
    },
    afterRequest: async (facts, signal) => {
      if (!hooks.has("post_api_request")) return;
      const payload = {
        ...requestPayload(facts, platform),
        api_duration: facts.durationMs / 1000,
        finish_reason: facts.finish,
        response_model: facts.model,
        usage: facts.usage,
        assistant_content_chars: facts.textLength,
        assistant_tool_call_count: facts.callCount,
      };
      await hooks.notify("post_api_request", payload, signal);
    },
    afterAnswer: async (facts) =>
      hooks.has("post_llm_call")
        ? hooks.notify(
            "post_llm_call",
            {
              session_id: facts.sessionId,
              user_message: facts.userText,
              assistant_response: facts.answer,
              conversation_history: facts.history,
              model: facts.model,
              platform,
            },
            never,
          )
        : undefined,
    onTurnEnd: ({ sessionId, completed, interrupted, model }) =>
      hooks.notify("on_session_end", { session_id: sessionId, completed, interrupted, model, platform }, never),
  };
}

function requestPayload(facts: RequestFacts, platform: string): HookPayloads["pre_api_request"] {
  return {
    task_id: facts.taskId,
    session_id: facts.sessionId,
    platform,
    model: facts.model,
    provider: facts.provider,
    base_url: facts.baseUrl,
    api_mode: facts.protocol,
    api_call_count: facts.step + 1,
    message_count: facts.messageCount,
    tool_count: facts.toolCount,
    approx_input_tokens: facts.estimatedTokens,
    request_char_count: facts.characters,
    max_tokens: facts.maxOutputTokens ?? null,
  };
}
