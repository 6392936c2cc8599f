import { insert } from "../../input/buffer.ts";
import { looksDropped } from "../../input/dropped-path.ts";
import { promptBuffer } from "../prompts/prompt.ts";
import { effect, type ViewState } from "../state.ts";
import { edit } from "./editing.ts";

/** A paste with this many line breaks is folded. */
const foldedBreaks = 5;

/** Text from the clipboard. Long text becomes a placeholder; nothing at all may mean an image. */
export function paste(state: ViewState, raw: string, nowMs: number): ViewState {
  const text = raw.replace(/\r\n?/g, "\n");
  if (promptBuffer(state.prompts[0]) !== undefined)
    return edit(state, (buffer) => insert(buffer, text.replace(/\n+$/, "")));
  if (state.picker !== undefined || state.busyCommand !== undefined) return state;
  if (text.trim() === "") return text === "" ? effect(state, { do: "paste-image" }) : insertText(state, text);
  if (looksDropped(text)) return effect(state, { do: "inspect-drop", text });
  const breaks = text.replace(/\n+$/, "").match(/\n/g)?.length ?? 0;
  const isCommand = state.editor.buffer.text.startsWith("/");
  return breaks >= foldedBreaks && !isCommand ? fold(state, text, nowMs) : insertText(state, text);
}

function insertText(state: ViewState, text: string): ViewState {
  return edit(state, (buffer) => insert(buffer, text));
}

function fold(state: ViewState, text: string, nowMs: number): ViewState {
  const number = (state.editor.pastes.at(-1)?.number ?? 0) + 1;
  const file = `paste_${number}_${clockTime(nowMs)}.txt`;
  const lines = text.replace(/\n+$/, "").split("\n").length;
  const placeholder = `[Pasted text #${number}: ${lines} lines → ${file}]`;
  const inserted = insertText(state, placeholder);
  const pastes = [...state.editor.pastes, { number, placeholder, text }];
  return effect({ ...inserted, editor: { ...inserted.editor, pastes } }, { do: "save-paste", file, text });
}

/** The draft as it is sent: placeholders are their text again. */
export function unfold(state: ViewState, draft: string): string {
  return state.editor.pastes.reduce(
    (text, { placeholder, text: pasted }) => text.replace(placeholder, () => pasted),
    draft,
  );
}

function clockTime(nowMs: number): string {
  const date = new Date(nowMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join("");
}
