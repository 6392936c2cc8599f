import type { TurnHooks } from "#agent";
import { never } from "#foundation/lifecycle/abort";
import type { SessionHooks } from "./hooks/hooks.ts";

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
