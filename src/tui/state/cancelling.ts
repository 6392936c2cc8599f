import { emptyBuffer } from "../input/buffer.ts";
import { closeAnswer } from "./answer.ts";
import { closeMenu } from "./completing.ts";
import { clearDraft, edit } from "./editing.ts";
import { refuse } from "./prompts.ts";
import { effect, notice, type ViewState } from "./state.ts";

const doublePressMs = 2_000;

/** Ctrl-C: the first of these that applies. */
export function cancel(state: ViewState, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  if (state.voice !== undefined && state.voice.mode === "recording")
    return effect(state, { do: "voice", act: "cancel" });
  if (prompt?.kind === "sudo" || prompt?.kind === "secret") return refuse(state, prompt, nowMs);
  if (prompt?.kind === "approval") return refuse(state, prompt, nowMs);
  if (state.picker !== undefined) return { ...state, picker: undefined };
  if (prompt?.kind === "question") return refuse(state, prompt, nowMs);
  if (state.isShellRunning) return stopShell(state, nowMs);
  if (state.turn !== undefined || state.busyCommand !== undefined) return interrupt(state, nowMs);
  if (hasDraft(state)) return clearDraft(state);
  return effect({ ...state, phase: "closing" }, { do: "exit", code: 0 });
}

/** The command says itself how it ended; the turn beside it goes on. */
function stopShell(state: ViewState, nowMs: number): ViewState {
  const last = state.lastCancelAtMs;
  const isAgain = last !== undefined && nowMs - last <= doublePressMs;
  if (isAgain) return effect({ ...state, phase: "closing" }, { do: "stop-shell" }, { do: "exit", code: 130 });
  return effect({ ...state, lastCancelAtMs: nowMs }, { do: "stop-shell" });
}

/** Once stops the turn, a second time within two seconds leaves. */
function interrupt(state: ViewState, nowMs: number): ViewState {
  const last = state.lastCancelAtMs;
  if (last !== undefined && nowMs - last <= doublePressMs) {
    return effect({ ...state, phase: "closing" }, { do: "interrupt" }, { do: "exit", code: 130 });
  }
  const turn = state.turn === undefined ? undefined : { ...state.turn, isInterrupted: true };
  const closed = closeAnswer(state, nowMs);
  const stopped = notice({ ...closed, turn, lastCancelAtMs: nowMs }, "info", "Stopping… Ctrl-C again leaves.");
  return effect(stopped, { do: "interrupt" });
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

/** Esc: closes what is open on top; text stays. */
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
  if (state.picker !== undefined) return { ...state, picker: undefined };
  return state.editor.completions === undefined ? { ...state, lastEscapeAtMs: nowMs } : closeMenu(state);
}

function hasDraft(state: ViewState): boolean {
  return state.editor.buffer.text !== "" || state.editor.images.length > 0;
}
