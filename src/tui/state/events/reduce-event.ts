import { recoveryWords, waitingWords } from "#conversation";
import type { SessionEvent, SessionInfo } from "#session";
import { newApproval, newQuestion, newSecret } from "../prompts/prompt.ts";
import { ask, dropPrompt } from "../prompts/prompts.ts";
import { effect, notice, print, type ViewState } from "../state.ts";
import { endTurn, startTurn } from "../turn.ts";
import { addText, closeAnswer, printAfterAnswer, showWhole } from "./answer.ts";
import { showChild } from "./children.ts";
import { admit } from "./echo.ts";
import { addThought, showWholeThought } from "./thoughts.ts";
import { abandonTools, endTool, foldedLine, prepareTool, startTool, updateTool } from "./tool-feed.ts";

/** What the session says, applied to what is shown. Never throws, in whatever order events come. */
export function reduceEvent(before: ViewState, event: SessionEvent, nowMs: number): ViewState {
  const state = event.type === "activity" || before.turn === undefined ? before : heard(before, event.type, nowMs);
  switch (event.type) {
    case "turn-start":
      return startTurn(state, nowMs);
    case "turn-end":
      return endTurn(abandonTools(closeAnswer(state, nowMs), nowMs), event, nowMs);
    case "text-delta":
      return isTextShown(state) ? addText(foldedLine(state), event.text, nowMs) : state;
    case "text-end":
      return closeAnswer(state, nowMs);
    case "reasoning-delta":
      return addThought(foldedLine(state), event.text, nowMs);
    case "message-end":
      return endMessage(state, event, nowMs);
    case "tool-input-start":
      return prepareTool(closeAnswer(state, nowMs), event, nowMs);
    case "tool-start":
      return startTool(closeAnswer(state, nowMs), event, nowMs);
    case "tool-update":
      return updateTool(state, event.callId, event.text);
    case "tool-end":
      return endTool(closeAnswer(state, nowMs), event);
    case "approval-request":
      return ask(closeAnswer(state, nowMs), newApproval(event, state.settings), nowMs);
    case "question-request":
      return ask(closeAnswer(state, nowMs), newQuestion(event, state.settings), nowMs);
    case "secret-request":
      return ask(closeAnswer(state, nowMs), newSecret(event, state.settings), nowMs);
    case "approval-response":
    case "question-response":
      return dropPrompt(state, event.id, nowMs);
    case "child-event":
      return reduceChild(state, event, nowMs);
    default:
      return reduceFact(state, event, nowMs);
  }
}

/** The turn gave a sign of life; a new attempt ends the wait for it. */
function heard(state: ViewState, type: SessionEvent["type"], nowMs: number): ViewState {
  if (state.turn === undefined) return state;
  const waiting = type === "attempt-start" || type === "text-delta" ? undefined : state.turn.waiting;
  return { ...state, turn: { ...state.turn, waiting, lastEventAtMs: nowMs } };
}

type Fact = Exclude<SessionEvent, { readonly type: HandledType }>;
type HandledType =
  | "turn-start"
  | "turn-end"
  | "text-delta"
  | "text-end"
  | "reasoning-delta"
  | "message-end"
  | "tool-input-start"
  | "tool-start"
  | "tool-update"
  | "tool-end"
  | "approval-request"
  | "question-request"
  | "secret-request"
  | "approval-response"
  | "question-response"
  | "child-event";

/** What still arrives after Ctrl-C belongs to an answer that is given up. */
function isTextShown({ settings, turn }: ViewState): boolean {
  return settings.streaming && turn?.isInterrupted !== true;
}

/** Events that change a number or a line and nothing else. */
function reduceFact(state: ViewState, event: Fact, nowMs: number): ViewState {
  switch (event.type) {
    case "step-start":
      return activity(state, `step ${event.step} of ${event.limit}`);
    case "attempt-start":
      return activity(withModel(state, event.model), `${event.provider}: ${event.model}`);
    case "attempt-end":
      return state;
    case "activity":
      return activity(state, event.text);
    case "recovery-start":
      return recovering(state, event, nowMs);
    case "compression-start":
      return print(closeAnswer(state, nowMs), {
        kind: "activity",
        text: `🗜️ compressing the conversation (${event.reason})`,
      });
    case "compression-end":
      return print(state, {
        kind: "activity",
        text: `🗜️ compressed: ${event.tokensBefore.toLocaleString("en")} → ${event.tokensAfter.toLocaleString("en")} tokens`,
      });
    case "usage": {
      const { contextTokens, contextWindow, cost } = event;
      const isEstimated = event.usage.isEstimated === true;
      const usage = { ...state.usage, contextTokens, contextWindow, isEstimated, cost: cost ?? state.usage.cost };
      return { ...state, usage };
    }
    case "target-change":
      return notice(
        { ...state, usage: { ...state.usage, model: event.model, isFallback: true } },
        "warn",
        `Now answering: ${event.model} (${event.provider}). ${event.reason}`,
      );
    case "input-admitted":
      return admit(closeAnswer(state, nowMs), event.text);
    case "notice":
      return notice(closeAnswer(state, nowMs), event.level, event.text);
    case "session-changed":
    case "resync":
      return withSession(state, event.info);
    case "queue-changed":
      return { ...state, queue: event.queued };
    case "background-start":
      return { ...state, backgroundTasks: state.backgroundTasks + 1 };
    case "background-end":
      return effect(
        printAfterAnswer(
          { ...state, backgroundTasks: Math.max(0, state.backgroundTasks - 1) },
          { kind: "panel", title: `Background: ${event.prompt}`, text: event.text },
        ),
        ...(state.settings.bellOnComplete ? [{ do: "bell" } as const] : []),
      );
  }
}

function endMessage(
  state: ViewState,
  event: Extract<SessionEvent, { readonly type: "message-end" }>,
  nowMs: number,
): ViewState {
  const { message } = event;
  const wasShown = state.answer.isOpen || state.answer.wasShown;
  const closed = closeAnswer(state, nowMs);
  const isReasoningNew = !event.wasStreamed && typeof message.reasoning === "string";
  const thought = isReasoningNew ? showWholeThought(closed, message.reasoning ?? "") : closed;
  const isTextNew = !wasShown && message.content.trim() !== "";
  const told = isTextNew ? showWhole(thought, message.content, nowMs) : thought;
  return { ...told, answer: { ...told.answer, wasShown: false } };
}

function recovering(
  state: ViewState,
  event: Extract<SessionEvent, { readonly type: "recovery-start" }>,
  nowMs: number,
): ViewState {
  const closed = closeAnswer(state, nowMs);
  if (event.waitMs === 0 || closed.turn === undefined) return notice(closed, "warn", recoveryWords(event));
  // One line that counts down, instead of a new one for every attempt.
  const waiting = { ...waitingWords(event), untilMs: nowMs + event.waitMs };
  return { ...closed, turn: { ...closed.turn, waiting } };
}

/** A child's question needs an answer like any other; the rest is told in the child's own lines. */
function reduceChild(
  state: ViewState,
  event: Extract<SessionEvent, { readonly type: "child-event" }>,
  nowMs: number,
): ViewState {
  const inner = event.event;
  switch (inner.type) {
    case "approval-request":
    case "question-request":
    case "approval-response":
    case "question-response":
    case "child-event":
      return reduceEvent(state, inner, nowMs);
    default:
      return showChild(state, event);
  }
}

function activity(state: ViewState, text: string): ViewState {
  const turn = state.turn === undefined ? undefined : { ...state.turn, activity: text };
  const next = { ...state, turn };
  return state.settings.details.activity === "expanded" ? print(next, { kind: "activity", text }) : next;
}

function withModel(state: ViewState, model: string): ViewState {
  return { ...state, usage: { ...state.usage, model } };
}

export function withSession(state: ViewState, info: SessionInfo): ViewState {
  const isTurnTarget = state.turn !== undefined && state.usage.model !== undefined;
  const isSame = state.session?.id === info.id;
  return {
    ...state,
    session: info,
    queue: info.queued,
    lastTurnMs: isSame ? state.lastTurnMs : undefined,
    usage: {
      contextTokens: info.contextTokens || (isSame ? state.usage.contextTokens : 0),
      isEstimated: info.usage.isEstimated === true || (isSame && state.usage.isEstimated),
      contextWindow: info.contextWindow || state.usage.contextWindow,
      cost: info.cost ?? (isSame ? state.usage.cost : undefined),
      model: isTurnTarget ? state.usage.model : info.model,
      isFallback: info.fallbackActive,
    },
  };
}
