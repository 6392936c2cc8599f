import {
  bufferOf,
  emptyBuffer,
  insert,
  isFirstRow,
  isLastRow,
  type Motion,
  move,
  remove,
  type TextBuffer,
} from "../../input/buffer.ts";
import { vimStart } from "../../input/vim.ts";
import { promptBuffer, withBuffer } from "../prompts/prompt.ts";
import { changePrompt } from "../prompts/prompts.ts";
import { type EditorState, effect, type ViewState } from "../state.ts";

/** The text field keys go to: the prompt's, when one is open, else the draft. */
export function activeBuffer(state: ViewState): TextBuffer {
  return promptBuffer(state.prompts[0]) ?? state.editor.buffer;
}

/** Changes the active text field. Only the draft has undo and completions: a password leaves no trace. */
export function edit(state: ViewState, change: (buffer: TextBuffer) => TextBuffer): ViewState {
  const prompt = state.prompts[0];
  const buffer = promptBuffer(prompt);
  if (prompt !== undefined && buffer !== undefined) return changePrompt(state, withBuffer(prompt, change(buffer)));
  if (state.busyCommand !== undefined) return state;
  return editDraft(state, change(state.editor.buffer));
}

const maxUndo = 100;

export function editDraft(state: ViewState, buffer: TextBuffer): ViewState {
  const { editor } = state;
  if (buffer.text === editor.buffer.text) return { ...state, editor: { ...editor, buffer } };
  const undo = [...editor.undo, editor.buffer].slice(-maxUndo);
  const next: EditorState = { ...editor, buffer, undo, completions: undefined };
  return { ...state, editor: next, lastEmptyEnterAtMs: undefined, lastEscapeAtMs: undefined };
}

export function typeText(state: ViewState, text: string): ViewState {
  return edit(state, (buffer) => insert(buffer, text));
}

export function moveCursor(state: ViewState, motion: Motion): ViewState {
  const ghost = ghostText(state);
  const atEnd = motion === "right" || motion === "line-end";
  if (atEnd && ghost !== "" && state.editor.buffer.cursor === state.editor.buffer.text.length) {
    return typeText(state, ghost);
  }
  return edit(state, (buffer) => move(buffer, motion));
}

export function removeText(state: ViewState, motion: Motion): ViewState {
  const before = activeBuffer(state);
  const cut = remove(before, motion);
  const next = edit(state, () => cut.buffer);
  const isKill = motion !== "left" && motion !== "right" && state.prompts.length === 0;
  if (isKill && cut.removed !== "") return { ...next, editor: { ...next.editor, killed: cut.removed } };
  const isImageGone = motion === "left" && before.text === "" && state.editor.images.length > 0;
  return isImageGone ? { ...next, editor: { ...next.editor, images: next.editor.images.slice(0, -1) } } : next;
}

export function undo(state: ViewState): ViewState {
  const last = state.editor.undo.at(-1);
  if (last === undefined || state.prompts.length > 0) return state;
  return { ...state, editor: { ...state.editor, buffer: last, undo: state.editor.undo.slice(0, -1) } };
}

/** Up: inside the text, then the queue, then the history. */
export function previousLine(state: ViewState): ViewState {
  const { editor } = state;
  if (state.prompts.length > 0 || !isFirstRow(editor.buffer)) return edit(state, (buffer) => move(buffer, "up"));
  if (editor.buffer.text === "" && editor.recall === undefined && state.queue.length > 0) {
    return effect(state, { do: "unqueue", index: state.queue.length - 1 });
  }
  const index = (editor.recall?.index ?? -1) + 1;
  const entry = editor.history[index];
  if (entry === undefined) return edit(state, (buffer) => move(buffer, "start"));
  return recall(state, { index, draft: editor.recall?.draft ?? editor.buffer }, bufferOf(entry));
}

export function nextLine(state: ViewState): ViewState {
  const { editor } = state;
  if (state.prompts.length > 0 || !isLastRow(editor.buffer)) return edit(state, (buffer) => move(buffer, "down"));
  if (editor.recall === undefined) return edit(state, (buffer) => move(buffer, "end"));
  const index = editor.recall.index - 1;
  const entry = editor.history[index];
  if (entry === undefined) return recall(state, undefined, editor.recall.draft);
  return recall(state, { ...editor.recall, index }, bufferOf(entry));
}

function recall(state: ViewState, position: EditorState["recall"], buffer: TextBuffer): ViewState {
  return { ...state, editor: { ...state.editor, buffer, recall: position, completions: undefined } };
}

/** The draft is gone: sent, or thrown away. */
export function clearDraft(state: ViewState): ViewState {
  const editor = { ...state.editor, buffer: emptyBuffer, recall: undefined, undo: [], images: [], pastes: [] };
  return { ...state, editor: { ...editor, completions: undefined, vim: vimStart } };
}

const maxGhost = 200;

/** The rest of what is probably meant: from the history, or the best completion of a command. */
export function ghostText(state: ViewState): string {
  const { buffer, history, completions } = state.editor;
  if (state.prompts.length > 0 || buffer.text === "" || buffer.cursor !== buffer.text.length) return "";
  const top = completions?.items[completions.index];
  if (buffer.text.startsWith("/") && top !== undefined) {
    const typed = buffer.text.slice(top.from);
    if (top.text.startsWith(typed)) return top.text.slice(typed.length);
  }
  if (buffer.text.length < 2) return "";
  const match = history.find((entry) => entry.startsWith(buffer.text) && entry !== buffer.text);
  const rest = match?.slice(buffer.text.length).split("\n")[0] ?? "";
  return rest.slice(0, maxGhost);
}
