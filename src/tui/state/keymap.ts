import type { KeyEvent } from "../input/key-event.ts";
import type { UserAction } from "./action.ts";

/** Which key does what, as data; the help text and the extension registry read the same table. */
export interface KeyBinding {
  readonly keys: readonly string[];
  readonly action: UserAction;
  readonly about: string;
}

export const keymap: readonly KeyBinding[] = [
  { keys: ["enter"], action: { type: "enter" }, about: "send" },
  { keys: ["alt+enter", "shift+enter", "ctrl+j"], action: { type: "newline" }, about: "new line" },
  { keys: ["ctrl+c"], action: { type: "cancel" }, about: "clear; twice: quit" },
  { keys: ["ctrl+d"], action: { type: "end-of-input" }, about: "quit (on an empty line)" },
  { keys: ["tab"], action: { type: "tab" }, about: "accept the suggestion" },
  { keys: ["shift+tab"], action: { type: "back-tab" }, about: "previous suggestion" },
  { keys: ["escape"], action: { type: "escape" }, about: "stop, or close" },
  { keys: ["up", "ctrl+p"], action: { type: "previous" }, about: "row up, history" },
  { keys: ["down", "ctrl+n"], action: { type: "next" }, about: "row down, history" },
  { keys: ["left"], action: { type: "move", motion: "left" }, about: "left" },
  { keys: ["right", "ctrl+f"], action: { type: "move", motion: "right" }, about: "right" },
  { keys: ["home", "ctrl+a"], action: { type: "move", motion: "line-start" }, about: "start of line" },
  { keys: ["end", "ctrl+e"], action: { type: "move", motion: "line-end" }, about: "end of line" },
  { keys: ["alt+b", "alt+left", "ctrl+left"], action: { type: "move", motion: "word-left" }, about: "word left" },
  { keys: ["alt+f", "alt+right", "ctrl+right"], action: { type: "move", motion: "word-right" }, about: "word right" },
  {
    keys: ["backspace", "ctrl+h", "shift+backspace"],
    action: { type: "remove", motion: "left" },
    about: "delete left",
  },
  { keys: ["delete"], action: { type: "remove", motion: "right" }, about: "delete right" },
  { keys: ["ctrl+w", "alt+backspace"], action: { type: "remove", motion: "word-left" }, about: "delete word" },
  { keys: ["alt+d"], action: { type: "remove", motion: "word-right" }, about: "delete word right" },
  { keys: ["ctrl+u"], action: { type: "remove", motion: "line-start" }, about: "delete to line start" },
  { keys: ["ctrl+k"], action: { type: "remove", motion: "line-end" }, about: "delete to line end" },
  { keys: ["ctrl+y"], action: { type: "yank" }, about: "paste what was deleted" },
  { keys: ["ctrl+_", "ctrl+-"], action: { type: "undo" }, about: "undo" },
  { keys: ["ctrl+g", "alt+g"], action: { type: "edit-outside" }, about: "edit in $EDITOR" },
  { keys: ["ctrl+z"], action: { type: "suspend" }, about: "suspend" },
  { keys: ["ctrl+l"], action: { type: "clear" }, about: "clear the screen" },
  { keys: ["ctrl+o"], action: { type: "open-calls" }, about: "show a call's output" },
  { keys: ["ctrl+r"], action: { type: "search-history" }, about: "search your history" },
  { keys: ["f1", "alt+x"], action: { type: "open-commands" }, about: "find a command" },
  { keys: ["ctrl+v", "alt+v"], action: { type: "paste-image" }, about: "paste an image" },
];

/** Keys an extension may take only when it says that it means to. */
export const reservedKeys: readonly string[] = ["enter", "alt+enter", "ctrl+c", "ctrl+d", "tab"];

/** Names people and other programs write for the same key. */
export function canonicalKey(name: string): string {
  const key = name
    .trim()
    .toLowerCase()
    .replace(/^escape[- ]enter$/, "alt+enter")
    .replace(/^c-/, "ctrl+");
  return key
    .replace(/^(ctrl|alt|shift)-/, "$1+")
    .replace(/^return$/, "enter")
    .replace(/^esc$/, "escape");
}

/** What a key means to the built-in bindings; a printable key types itself. */
export function actionFor(event: KeyEvent, recordKey: string): UserAction | undefined {
  if (event.key !== "" && event.key === canonicalKey(recordKey)) return { type: "record" };
  const bound = keymap.find((binding) => binding.keys.includes(event.key));
  if (bound !== undefined) return bound.action;
  return event.text === undefined ? undefined : { type: "insert", text: event.text };
}
