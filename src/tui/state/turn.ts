import type { ExitReason } from "#conversation";
import { effect, notice, type ViewState } from "./state.ts";

/** Somebody who waited this long has looked away. */
const longTurnMs = 20_000;

export function startTurn(state: ViewState, nowMs: number): ViewState {
  return {
    ...state,
    turn: { startedAtMs: nowMs, isInterrupted: false, activity: undefined, waiting: undefined, lastEventAtMs: nowMs },
    toolFeed: { lastName: undefined, folded: [] },
    hasAnswered: false,
    answer: { ...state.answer, wasShown: false },
  };
}

export function endTurn(
  state: ViewState,
  event: { readonly exitReason: ExitReason; readonly error?: string },
  nowMs: number,
): ViewState {
  const lastTurnMs = state.turn === undefined ? state.lastTurnMs : nowMs - state.turn.startedAtMs;
  const over = { turn: undefined, lastTurnMs, children: [], lastCancelAtMs: undefined, workEndedAtMs: nowMs };
  const ended: ViewState = { ...state, ...over };
  const told = tell(ended, event);
  const rung = state.settings.bellOnComplete ? effect(told, { do: "bell" }) : told;
  const wasLong = state.turn !== undefined && nowMs - state.turn.startedAtMs >= longTurnMs;
  return wasLong
    ? effect(rung, { do: "notify", text: `Hermes is done: ${state.session?.title ?? "your turn"}` })
    : rung;
}

/** Every end that is not simply an answer is said. */
function tell(state: ViewState, event: { readonly exitReason: ExitReason; readonly error?: string }): ViewState {
  if (event.error !== undefined && event.error !== "") return notice(state, "error", event.error);
  switch (event.exitReason) {
    case "text_response":
    case "partial_stream_recovery":
    case "fallback_prior_turn_content":
      return state;
    case "max_iterations_reached":
      return notice(state, "warn", "The turn reached its step limit before it was done. Say “go on” to continue.");
    case "interrupted_by_user":
    case "interrupted_during_api_call":
    case "interrupted_during_retry":
      // Words that stopped it have said so already.
      return state.echoes.shown.length > 0 || state.echoes.waiting.length > 0
        ? state
        : notice(state, "info", "Stopped. What should Hermes do instead?");
    case "budget_exceeded":
      return notice(state, "warn", "The budget is used up; the turn stopped before the next call.");
    case "loop_detected":
      return notice(state, "warn", "Stopped: the model kept repeating itself.");
    case "length_truncated":
    case "truncated_tool_call":
    case "thinking_budget_exhausted":
    case "incomplete_reasoning":
    case "responses_incomplete":
      return notice(state, "warn", "The reply was cut off by the model's output limit.");
    case "invalid_tool_calls":
    case "empty_response_exhausted":
    case "invalid_response":
    case "api_retries_exhausted":
    case "rate_limited":
    case "non_retryable_error":
    case "context_overflow":
    case "payload_too_large":
    case "internal_error":
      return notice(state, "error", `The turn failed (${event.exitReason.replaceAll("_", " ")}).`);
  }
}
