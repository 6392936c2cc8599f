import { flag, list, object, oneOf, optional, text, union, whole } from "./shape.ts";

const words = text();

const action = union("do", {
  quit: {},
  "clear-screen": {},
  "set-skin": { name: words },
  "toggle-statusbar": {},
  "cycle-verbose": {},
  "set-details": { section: words, mode: words },
  "show-details": {},
  "show-reasoning": { is_shown: flag },
  copy: { text: words },
  "attach-image": { path: words },
  "paste-image": {},
  "switch-session": { id: words },
  connect: {},
  "edit-line": { text: words, about: words },
});

/** What a command shows. */
const view = union("kind", {
  text: { text: words, level: optional(oneOf("info", "warn", "error")) },
  markdown: { text: words },
  table: { title: words, columns: list(words), rows: list(list(words)) },
  picker: {
    title: words,
    items: list(object({ value: words, label: words, detail: words, is_current: flag, help: optional(words) })),
    command: words,
  },
  turn: {},
  surface: { action },
  nothing: {},
});

/** What is answered to an input. */
export const replyShape = union("kind", {
  turn: {},
  queued: { position: whole() },
  steered: {},
  command: { view },
  duplicate: {},
  refused: { message: words, is_lost: optional(flag) },
  done: {},
  unqueued: { text: words },
  completions: { completions: list(object({ from: whole(), text: words, label: words, detail: words })) },
});
