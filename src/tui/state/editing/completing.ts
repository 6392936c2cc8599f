import type { Completion } from "#session";
import { bufferOf } from "../../input/buffer.ts";
import type { ViewState } from "../state.ts";
import { editDraft, ghostText, typeText } from "./editing.ts";

/** Completions arrived; late ones for a line that has changed are dropped. */
export function offer(state: ViewState, line: string, items: readonly Completion[]): ViewState {
  const { buffer } = state.editor;
  if (buffer.text.slice(0, buffer.cursor) !== line) return state;
  const completions = items.length === 0 ? undefined : { line, items, index: 0 };
  return { ...state, editor: { ...state.editor, completions } };
}

export function moveChoice(state: ViewState, step: 1 | -1): ViewState {
  const { completions } = state.editor;
  if (completions === undefined) return state;
  const count = completions.items.length;
  const index = (completions.index + step + count) % count;
  return { ...state, editor: { ...state.editor, completions: { ...completions, index } } };
}

/** Tab: the chosen completion, else the ghost text. */
export function accept(state: ViewState): ViewState {
  const { completions, buffer } = state.editor;
  const chosen = completions?.items[completions.index];
  if (chosen === undefined) {
    const ghost = ghostText(state);
    return ghost === "" ? state : typeText(state, ghost);
  }
  const text = buffer.text.slice(0, chosen.from) + chosen.text + buffer.text.slice(buffer.cursor);
  return editDraft(state, bufferOf(text, chosen.from + chosen.text.length));
}

export function closeMenu(state: ViewState): ViewState {
  return { ...state, editor: { ...state.editor, completions: undefined } };
}

/** The line to ask completions for; undefined when nothing in it can be completed. */
export function completionLine(state: ViewState): string | undefined {
  const { buffer, recall } = state.editor;
  if (state.prompts.length > 0 || state.picker !== undefined || recall !== undefined) return undefined;
  const line = buffer.text.slice(0, buffer.cursor);
  const word = line.split(/\s/).at(-1) ?? "";
  const isCommand = line.startsWith("/") && !line.includes("\n");
  return isCommand || word.startsWith("@") || word.startsWith("~/") || word.includes("/") ? line : undefined;
}
