import type { ApprovalChoice } from "#conversation";
import { type ApprovalPrompt, approvalRows, type Prompt, type QuestionPrompt } from "./prompt.ts";
import { answer, approve, changePrompt } from "./prompts.ts";
import type { ViewState } from "./state.ts";

/** A person who is typing must not answer a prompt that has just appeared under their fingers. */
const typingGuardMs = 400;

const letters: Readonly<Record<string, ApprovalChoice | "view">> = {
  o: "once",
  s: "session",
  a: "always",
  d: "deny",
  v: "view",
};

/** A character typed while choices are on the screen. */
export function pressInPrompt(state: ViewState, text: string, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  if (prompt === undefined || isGuarded(state, prompt, nowMs)) return state;
  if (prompt.kind === "approval") {
    const rows = approvalRows(prompt);
    const chosen = /^[1-9]$/.test(text) ? rows[Number(text) - 1] : letters[text.toLowerCase()];
    return chosen !== undefined && rows.includes(chosen) ? decide(state, { prompt, chosen }, nowMs) : state;
  }
  if (prompt.kind !== "question" || !/^[1-9]$/.test(text)) return state;
  const index = Number(text) - 1;
  return index <= prompt.choices.length ? pick(state, { prompt, index }, nowMs) : state;
}

export function moveInPrompt(state: ViewState, step: 1 | -1): ViewState {
  const prompt = state.prompts[0];
  if (prompt === undefined || (prompt.kind !== "approval" && prompt.kind !== "question")) return state;
  const count = prompt.kind === "approval" ? approvalRows(prompt).length : prompt.choices.length + 1;
  const from = prompt.selected < 0 ? (step > 0 ? -1 : 0) : prompt.selected;
  return changePrompt(state, { ...prompt, selected: (from + step + count) % count });
}

/** Enter: what is selected, or the text that was typed. */
export function enterPrompt(state: ViewState, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  if (prompt === undefined || isGuarded(state, prompt, nowMs)) return state;
  switch (prompt.kind) {
    case "approval": {
      const chosen = approvalRows(prompt)[prompt.selected];
      return chosen === undefined ? state : decide(state, { prompt, chosen }, nowMs);
    }
    case "question": {
      if (!prompt.isFreeText) return pick(state, { prompt, index: prompt.selected }, nowMs);
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
  { prompt, chosen }: { prompt: ApprovalPrompt; chosen: ApprovalChoice | "view" },
  nowMs: number,
): ViewState {
  if (chosen !== "view") return approve(state, { prompt, choice: chosen }, nowMs);
  return changePrompt(state, { ...prompt, isViewed: true, selected: prompt.isDestructive ? -1 : 0 });
}

/** The row behind the last choice is "Other": own words. */
function pick(
  state: ViewState,
  { prompt, index }: { prompt: QuestionPrompt; index: number },
  nowMs: number,
): ViewState {
  const text = prompt.choices[index];
  return text === undefined
    ? changePrompt(state, { ...prompt, isFreeText: true })
    : answer(state, { prompt, text }, nowMs);
}

function isGuarded(state: ViewState, prompt: Prompt, nowMs: number): boolean {
  if (prompt.kind === "sudo" || prompt.kind === "secret") return false;
  return state.editor.buffer.text !== "" && nowMs - (prompt.shownAtMs ?? nowMs) < typingGuardMs;
}
