import type { ApprovalChoice } from "#conversation";
import { emptyBuffer, insert } from "../input/buffer.ts";
import { editDraft } from "./editing/editing.ts";
import {
  type ApprovalPrompt,
  type ApprovalRow,
  approvalRows,
  type QuestionPrompt,
  wholeCommand,
} from "./prompts/prompt.ts";
import { answer, approve, changePrompt, isQuiet, quietMs } from "./prompts/prompts.ts";
import { print, type ViewState } from "./state.ts";

/*
 * A person who is typing must not answer what has just appeared under their fingers.
 *
 * 1. A key counts for choices only after a pause: none came for `quietMs`, and the choices have stood for as long.
 * 2. What does not count is typing, and goes into the draft.
 * 3. A letter only chooses; Enter decides, and by 1 it comes after a pause. An arrow is no text: Enter may follow at once.
 * 4. A letter that was the first of a text, because more follows without a pause, goes into the draft with the rest.
 * 5. Esc and Ctrl-C are a no at any time.
 */

const letters: Readonly<Record<string, ApprovalRow>> = {
  o: "once",
  f: "folder",
  s: "session",
  a: "always",
  d: "deny",
  r: "reason",
  v: "view",
};

/** A character typed while choices are on the screen. */
export function pressInPrompt(state: ViewState, text: string, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  if (prompt === undefined || !isListening(state, nowMs)) return typeAside(state, text);
  if (prompt.kind === "approval") {
    const rows = approvalRows(prompt);
    const chosen = /^[1-9]$/.test(text) ? rows[Number(text) - 1] : letters[text.toLowerCase()];
    if (chosen === undefined || !rows.includes(chosen)) return typeAside(state, text);
    const selected = rows.indexOf(chosen);
    return changePrompt(state, { ...prompt, selected, chosenBy: "letter", pressed: text, note: undefined });
  }
  if (prompt.kind !== "question") return typeAside(state, text);
  const index = /^[1-9]$/.test(text) ? Number(text) - 1 : -1;
  return index >= 0 && index <= prompt.choices.length ? pick(state, { prompt, index }, nowMs) : typeAside(state, text);
}

/** Typing beside a prompt: into the draft, where it waits. */
export function typeAside(state: ViewState, text: string): ViewState {
  const prompt = state.prompts[0];
  const first = prompt?.kind === "approval" ? prompt.pressed : "";
  const typed = editDraft(state, insert(state.editor.buffer, first + text));
  return prompt?.kind === "approval" ? changePrompt(typed, unchosen(prompt)) : typed;
}

function unchosen(prompt: ApprovalPrompt): ApprovalPrompt {
  return { ...prompt, selected: -1, chosenBy: undefined, pressed: "", note: undefined };
}

export function moveInPrompt(state: ViewState, step: 1 | -1, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  if (prompt === undefined || (prompt.kind !== "approval" && prompt.kind !== "question")) return state;
  if (!isListening(state, nowMs) && !isByArrow(prompt)) return state;
  const count = prompt.kind === "approval" ? approvalRows(prompt).length : prompt.choices.length + 1;
  const from = prompt.selected < 0 ? (step > 0 ? -1 : 0) : prompt.selected;
  const selected = (from + step + count) % count;
  return prompt.kind === "approval"
    ? changePrompt(state, { ...prompt, selected, chosenBy: "arrow", pressed: "", note: undefined })
    : changePrompt(state, { ...prompt, selected, isMoved: true });
}

function isByArrow(prompt: ApprovalPrompt | QuestionPrompt): boolean {
  return prompt.kind === "approval" ? prompt.chosenBy === "arrow" : prompt.isMoved;
}

/** Enter while choices are on the screen. */
export function enterChoice(state: ViewState, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  if (prompt === undefined || (prompt.kind !== "approval" && prompt.kind !== "question")) return state;
  const isMeant = isListening(state, nowMs) || isByArrow(prompt);
  if (prompt.kind === "question") return isMeant ? pick(state, { prompt, index: prompt.selected }, nowMs) : state;
  if (!isMeant) return tooEarly(state, prompt);
  const chosen = approvalRows(prompt)[prompt.selected];
  if (chosen === undefined) return changePrompt(state, { ...prompt, note: "choose" });
  return decide(state, { prompt, chosen }, nowMs);
}

/** What looked like a choice was a text and its end. */
function tooEarly(state: ViewState, prompt: ApprovalPrompt): ViewState {
  const typed = prompt.pressed === "" ? state : typeAside(state, "");
  return changePrompt(typed, { ...unchosen(prompt), note: "too-early" });
}

/** Enter in the text field of a prompt. */
export function enterField(state: ViewState, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  switch (prompt?.kind) {
    case undefined:
      return state;
    case "approval": {
      const reason = prompt.reason?.text.trim() ?? "";
      return approve(state, { prompt, answer: reason === "" ? "deny" : { choice: "deny", reason } }, nowMs);
    }
    case "question": {
      const text = prompt.buffer.text.trim();
      return text === "" ? state : answer(state, { prompt, text }, nowMs);
    }
    case "sudo":
    case "secret":
      return answer(state, { prompt, text: prompt.buffer.text }, nowMs);
  }
}

function decide(
  state: ViewState,
  { prompt, chosen }: { prompt: ApprovalPrompt; chosen: ApprovalRow },
  nowMs: number,
): ViewState {
  if (chosen === "view") {
    // Above the question there is room for any length, and it can be scrolled to.
    const shown = print(state, { kind: "lines", lines: wholeCommand(prompt) });
    return changePrompt(shown, { ...unchosen(prompt), isViewed: true });
  }
  if (chosen === "reason") return changePrompt(state, { ...unchosen(prompt), reason: emptyBuffer });
  return approve(state, { prompt, answer: chosen satisfies ApprovalChoice }, nowMs);
}

/** The row behind the last choice is "Other": own words. */
function pick(
  state: ViewState,
  { prompt, index }: { prompt: QuestionPrompt; index: number },
  nowMs: number,
): ViewState {
  const text = prompt.choices[index];
  return text === undefined
    ? changePrompt(state, { ...prompt, isFreeText: true, hasFocus: true })
    : answer(state, { prompt, text }, nowMs);
}

/** A key that comes now is meant for the prompt. */
export function isListening(state: ViewState, nowMs: number): boolean {
  const shownAtMs = state.prompts[0]?.shownAtMs;
  return isQuiet(state, nowMs) && shownAtMs !== undefined && nowMs - shownAtMs >= quietMs;
}
