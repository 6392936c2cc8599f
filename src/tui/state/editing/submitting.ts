import type { Submission } from "#session";
import { insert } from "../../input/buffer.ts";
import { closeAnswer } from "../events/answer.ts";
import { echo, echoLater, forgetEcho } from "../events/echo.ts";
import { showHint } from "../hints.ts";
import { effect, notice, print, type ViewState } from "../state.ts";
import { clearDraft, editDraft } from "./editing.ts";
import { unfold } from "./pasting.ts";

const doubleEnterMs = 2_000;
const escapeEnterMs = 1_000;

/** Enter in the draft. */
export function enterDraft(state: ViewState, nowMs: number): ViewState {
  const { buffer, images } = state.editor;
  if (state.busyCommand !== undefined) return state;
  if (state.lastEscapeAtMs !== undefined && nowMs - state.lastEscapeAtMs <= escapeEnterMs) {
    return editDraft({ ...state, lastEscapeAtMs: undefined }, insert(buffer, "\n"));
  }
  if (buffer.text.endsWith("\\") && buffer.cursor === buffer.text.length) {
    const { text } = buffer;
    return editDraft(state, insert({ text: text.slice(0, -1), cursor: text.length - 1 }, "\n"));
  }
  if (buffer.text.trim() === "" && images.length === 0) return enterEmpty(state, nowMs);
  return send(state, buffer.text.trim());
}

/** Two empty Enters stop the turn, so that the next queued message goes out. */
function enterEmpty(state: ViewState, nowMs: number): ViewState {
  if (state.turn === undefined || state.queue.length === 0) return state;
  const last = state.lastEmptyEnterAtMs;
  if (last === undefined || nowMs - last > doubleEnterMs) return { ...state, lastEmptyEnterAtMs: nowMs };
  return effect({ ...state, lastEmptyEnterAtMs: undefined }, { do: "interrupt" });
}

function send(state: ViewState, draft: string): ViewState {
  const { images } = state.editor;
  const text = unfold(state, draft);
  const isRecorded = state.editor.history[0] !== draft && draft !== "";
  const history = isRecorded ? [draft, ...state.editor.history] : state.editor.history;
  const isForModel = !commandPattern.test(draft);
  const emptied = clearDraft({ ...state, editor: { ...state.editor, history } });
  // What is attached waits for the words it belongs to: no command takes it.
  const cleared = isForModel ? emptied : { ...emptied, editor: { ...emptied.editor, images } };
  const kept = isRecorded ? effect(cleared, { do: "remember", text: draft }) : cleared;
  if (draft.startsWith("!") && draft.length > 1) {
    return effect(print(kept, { kind: "user", text: draft, images: 0 }), { do: "run-shell", command: draft.slice(1) });
  }
  if (state.phase === "starting")
    return { ...kept, early: [...kept.early, { text, images: isForModel ? images : [] }] };
  return hand(kept, { text, shown: draft, images: isForModel ? images : [] });
}

/** A command of Hermes or of the shell; a path at the beginning of a sentence is none. */
const commandPattern = /^(?:\/[a-z][\w-]*(?:\s|$)|!.)/i;

/** To the session. Shown at once, unless Hermes is busy: then it depends on what becomes of it. */
export function hand(
  state: ViewState,
  input: { readonly text: string; readonly shown: string; readonly images: readonly string[] },
): ViewState {
  const { text, shown, images } = input;
  const isCommand = text.startsWith("/");
  const isBusy = state.turn !== undefined && !isCommand;
  const hinted = isBusy ? showHint(state, "busy-input") : state;
  const echoed = isBusy ? echoLater(hinted, text) : echo(hinted, shown, images.length);
  return effect(echoed, { do: "submit", text, images, isTyped: true });
}

/** The session is there: what was typed before goes to it, as one message. */
export function sendEarly(state: ViewState): ViewState {
  if (state.early.length === 0) return state;
  const commands = state.early.filter((one) => one.text.startsWith("/"));
  const words = state.early.filter((one) => !one.text.startsWith("/"));
  const text = words.map((one) => one.text).join("\n");
  const images = words.flatMap((one) => one.images);
  let next: ViewState = { ...state, early: [] };
  for (const command of commands) next = hand(next, { ...command, shown: command.text });
  return words.length === 0 ? next : hand(next, { text, shown: text, images });
}

/** What became of an input. */
export function submitted(
  state: ViewState,
  supplied: { readonly text: string; readonly images: number; readonly submission: Submission },
  nowMs: number,
): ViewState {
  const { text, submission } = supplied;
  switch (submission.kind) {
    case "turn": {
      if (!state.echoes.waiting.includes(text)) return state;
      // The answer it stops is over: the words do not stand in the middle of it.
      return echo(closeAnswer(forgetEcho(state, text), nowMs), text, supplied.images);
    }
    case "queued":
      return notice(forgetEcho(state, text), "info", `Queued (${submission.position} ahead).`);
    case "steered":
      return notice(forgetEcho(state, text), "info", `Sent to the running turn: ${text}`);
    case "duplicate":
      return notice(forgetEcho(state, text), "info", "This message was already received.");
    case "refused":
      return notice(forgetEcho(state, text), "error", submission.message);
    case "command":
      return submission.view.kind === "turn" ? state : forgetEcho(state, text);
  }
}
