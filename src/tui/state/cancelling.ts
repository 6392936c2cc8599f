import { emptyBuffer } from "../input/buffer.ts";
import { closeMenu } from "./editing/completing.ts";
import { clearDraft, edit } from "./editing/editing.ts";
import { hand } from "./editing/submitting.ts";
import { closeAnswer } from "./events/answer.ts";
import { closePicker } from "./picking.ts";
import { refuse } from "./prompts/prompts.ts";
import { effect, type ViewState } from "./state.ts";

const doublePressMs = 2_000;
/** Who wants to stop something that has just ended has not seen yet that it did. */
const tooLateMs = 1_000;

/** Ctrl-C: the first of these that applies. */
export function cancel(state: ViewState, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  if (state.voice !== undefined && state.voice.mode === "recording")
    return effect(state, { do: "voice", act: "cancel" });
  if (prompt?.kind === "sudo" || prompt?.kind === "secret") return refuse(state, prompt, nowMs);
  if (prompt?.kind === "approval") return refuse(state, prompt, nowMs);
  if (state.picker !== undefined) return closePicker(state);
  if (prompt?.kind === "question") return refuse(state, prompt, nowMs);
  if (isAtWork(state)) return stopTwice(state, nowMs);
  if (hasDraft(state)) return clearDraft(state);
  return leaveTwice(state, nowMs);
}

function isAtWork(state: ViewState): boolean {
  return state.isShellRunning || state.turn !== undefined || state.busyCommand !== undefined;
}

/** Once stops the work, a second time within two seconds leaves. */
function stopTwice(state: ViewState, nowMs: number): ViewState {
  const last = state.lastCancelAtMs;
  if (last !== undefined && nowMs - last <= doublePressMs) {
    const stop = state.isShellRunning ? "stop-shell" : "interrupt";
    return effect({ ...state, phase: "closing" }, { do: stop }, { do: "exit", code: 130 });
  }
  return stop(state, nowMs);
}

/** Stops a command of the person, else the turn. Messages that wait come back into the draft: they are not sent by a stop. */
function stop(state: ViewState, nowMs: number): ViewState {
  const noted: ViewState = { ...state, lastCancelAtMs: nowMs };
  if (state.isShellRunning) return effect(noted, { do: "stop-shell" });
  const turn = state.turn === undefined ? undefined : { ...state.turn, isInterrupted: true };
  const closed: ViewState = { ...closeAnswer(noted, nowMs), turn };
  const unsent = state.queue.length > 0 ? effect(closed, { do: "unqueue-all" }) : closed;
  return effect(unsent, { do: "interrupt" });
}

/** On an empty line: the first says that the second leaves. Those that came too late to stop something do not count. */
function leaveTwice(state: ViewState, nowMs: number): ViewState {
  if (isLeaving(state, nowMs)) return effect({ ...state, phase: "closing" }, { do: "exit", code: 0 });
  return { ...state, leaveAskedAtMs: nowMs };
}

function isLeaving(state: ViewState, nowMs: number): boolean {
  const { leaveAskedAtMs, workEndedAtMs = Number.NEGATIVE_INFINITY } = state;
  return isOffered(state, nowMs) && (leaveAskedAtMs ?? 0) - workEndedAtMs >= tooLateMs;
}

/** It is said that Ctrl-C leaves. */
function isOffered({ leaveAskedAtMs }: ViewState, nowMs: number): boolean {
  return leaveAskedAtMs !== undefined && nowMs - leaveAskedAtMs <= doublePressMs;
}

/** The offer to leave ends with the next key, or by itself. */
export function forgetLeaving(state: ViewState, nowMs: number): ViewState {
  return state.leaveAskedAtMs === undefined || isOffered(state, nowMs)
    ? state
    : { ...state, leaveAskedAtMs: undefined };
}

/** Ctrl-D: deletes, waits while only images are attached, leaves when there is nothing. */
export function endOfInput(state: ViewState): ViewState {
  if (state.prompts.length > 0) return state;
  const { buffer, images } = state.editor;
  if (buffer.text !== "") {
    return edit(state, ({ text, cursor }) => ({ text: text.slice(0, cursor) + text.slice(cursor + 1), cursor }));
  }
  if (images.length > 0) return state;
  return effect({ ...state, phase: "closing" }, { do: "exit", code: 0 });
}

/** Esc: closes what is open on top, else stops what is running; text stays. */
export function closeTop(state: ViewState, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  if (prompt !== undefined) {
    if (prompt.kind === "question" && prompt.isFreeText && prompt.choices.length > 0) {
      const back = { ...prompt, isFreeText: false, buffer: emptyBuffer };
      return { ...state, prompts: [back, ...state.prompts.slice(1)] };
    }
    if (prompt.kind === "approval" && prompt.reason !== undefined) {
      return { ...state, prompts: [{ ...prompt, reason: undefined }, ...state.prompts.slice(1)] };
    }
    return refuse(state, prompt, nowMs);
  }
  if (state.picker !== undefined) return closePicker(state);
  if (state.editor.completions !== undefined) return closeMenu(state);
  const noted: ViewState = { ...state, lastEscapeAtMs: nowMs };
  if (!isAtWork(state)) return isRewind(state, nowMs) ? rewind(state) : noted;
  return state.turn?.isInterrupted === true ? noted : stop(noted, nowMs);
}

/** Esc twice on an empty line; the first must have found nothing to stop. */
function isRewind(state: ViewState, nowMs: number): boolean {
  const { lastEscapeAtMs: last, workEndedAtMs: ended = Number.NEGATIVE_INFINITY } = state;
  return last !== undefined && nowMs - last <= doublePressMs && last - ended >= tooLateMs && !hasDraft(state);
}

function rewind(state: ViewState): ViewState {
  return hand({ ...state, lastEscapeAtMs: undefined }, { text: "/rewind", shown: "/rewind", images: [] });
}

function hasDraft(state: ViewState): boolean {
  return state.editor.buffer.text !== "" || state.editor.images.length > 0;
}
