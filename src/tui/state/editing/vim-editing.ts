import { insert, move } from "../../input/buffer.ts";
import { toNormal, type VimStep, vimKey } from "../../input/vim.ts";
import type { UserAction } from "../action.ts";
import type { EditorState, ViewState } from "../state.ts";
import { editDraft, nextLine, previousLine, undo } from "./editing.ts";

/** Keys of vi, for who has `display.vim_mode`; undefined when a key means what it means to everybody. */
export function pressVim(state: ViewState, action: UserAction): ViewState | undefined {
  if (!state.settings.isVim || state.prompts.length > 0 || state.picker !== undefined) return undefined;
  if (state.busyCommand !== undefined) return undefined;
  const { vim, buffer } = state.editor;
  switch (action.type) {
    case "insert":
      return vim.isNormal ? [...action.text].reduce(pressKey, state) : undefined;
    case "escape":
      return vim.isNormal ? dropPending(state) : leaveTyping(state);
    case "remove":
      if (!vim.isNormal || action.motion !== "left" || buffer.text === "") return undefined;
      return withEditor(state, { buffer: move(buffer, "left") });
    default:
      return undefined;
  }
}

function pressKey(state: ViewState, key: string): ViewState {
  const { vim, buffer, killed } = state.editor;
  // What a row of keys has changed meanwhile: the rest of it is typed.
  if (!vim.isNormal) return editDraft(state, insert(buffer, key));
  const step = vimKey({ buffer, register: killed, vim }, key);
  return outside(withEditor(editDraft(state, step.buffer), { vim: step.vim, killed: step.register }), step);
}

function outside(state: ViewState, step: VimStep): ViewState {
  switch (step.outside) {
    case "undo":
      return undo(state);
    case "previous":
      return previousLine(state);
    case "next":
      return nextLine(state);
    default:
      return state;
  }
}

/** On an empty line there is nothing to edit: Esc stops, as it does for everybody. */
function leaveTyping(state: ViewState): ViewState | undefined {
  const { buffer } = state.editor;
  if (buffer.text === "") return undefined;
  const left = withEditor(state, { ...toNormal(buffer), completions: undefined });
  return { ...left, lastEscapeAtMs: undefined };
}

function dropPending(state: ViewState): ViewState | undefined {
  const { vim } = state.editor;
  return vim.pending === "" ? undefined : withEditor(state, { vim: { ...vim, pending: "" } });
}

function withEditor(state: ViewState, change: Partial<EditorState>): ViewState {
  return { ...state, editor: { ...state.editor, ...change } };
}
