import type { SessionEvent } from "#session";
import { bufferOf } from "../input/buffer.ts";
import type { OutcomeAction, UserAction } from "./action.ts";
import { enterChoice, enterField, moveInPrompt, pressInPrompt, typeAside } from "./answering.ts";
import { cancel, closeTop, endOfInput, forgetLeaving } from "./cancelling.ts";
import { accept, moveChoice, offer } from "./editing/completing.ts";
import { edit, editDraft, moveCursor, nextLine, previousLine, removeText, typeText, undo } from "./editing/editing.ts";
import { paste } from "./editing/pasting.ts";
import { enterDraft, sendEarly, submitted } from "./editing/submitting.ts";
import { pressVim } from "./editing/vim-editing.ts";
import { reduceEvent, withSession } from "./events/reduce-event.ts";
import {
  choosePicker,
  movedList,
  narrowedList,
  openCalls,
  openCommands,
  openHistory,
  openPicker,
  pointInPicker,
} from "./picking.ts";
import { promptBuffer } from "./prompts/prompt.ts";
import { expire, focus } from "./prompts/prompts.ts";
import { effect, notice, print, showView, type ViewState } from "./state.ts";
import { actOnSurface } from "./surface.ts";

/** One step: what the session said, or what a person did, at a moment. Pure. */
export function reduce(state: ViewState, input: SessionEvent | UserAction, nowMs: number): ViewState {
  if (isAction(input)) return reduceAction(state, input, nowMs);
  return reduceEvent(state, input, nowMs);
}

function reduceAction(state: ViewState, action: UserAction, nowMs: number): ViewState {
  if (isOutcome(action)) return reduceOutcome(state, action, nowMs);
  if (state.phase === "closing") return state;
  const calm = action.type === "cancel" ? state : { ...state, leaveAskedAtMs: undefined };
  const next = press(focus(calm, nowMs), action, nowMs);
  return { ...next, lastKeyAtMs: nowMs, isMidText: action.type !== "enter" || next.editor.buffer.text !== "" };
}

function press(before: ViewState, action: KeyAction, nowMs: number): ViewState {
  const state: ViewState = { ...before, isHelpOpen: false };
  const isBare = state.editor.buffer.text === "" && state.prompts.length === 0 && state.picker === undefined;
  if (isBare && action.type === "insert" && action.text === "?") return { ...state, isHelpOpen: !before.isHelpOpen };
  if (before.isHelpOpen && action.type === "escape") return state;
  if (state.picker !== undefined && state.prompts.length === 0) return inPicker(state, action, nowMs);
  const edited = pressVim(state, action);
  if (edited !== undefined) return edited;
  const hasChoices = state.prompts.length > 0 && promptBuffer(state.prompts[0]) === undefined;
  return hasChoices ? inChoices(state, action, nowMs) : inText(state, action, nowMs);
}

type KeyAction = Exclude<UserAction, OutcomeAction>;

function inText(state: ViewState, action: KeyAction, nowMs: number): ViewState {
  switch (action.type) {
    case "insert":
      return typeText(state, action.text);
    case "paste":
      return paste(state, action.text, nowMs);
    case "newline":
      return state.prompts.length > 0 ? state : typeText(state, "\n");
    case "move":
      return moveCursor(state, action.motion);
    case "remove":
      return removeText(state, action.motion);
    case "yank":
      return state.prompts.length > 0 ? state : typeText(state, state.editor.killed);
    case "undo":
      return undo(state);
    case "previous":
      return state.editor.completions === undefined ? previousLine(state) : moveChoice(state, -1);
    case "next":
      return state.editor.completions === undefined ? nextLine(state) : moveChoice(state, 1);
    case "enter":
      return state.prompts.length > 0 ? enterField(state, nowMs) : enterDraft(state, nowMs);
    case "tab":
      return state.prompts.length > 0 ? state : accept(state);
    case "back-tab":
      return moveChoice(state, -1);
    default:
      return anywhere(state, action, nowMs);
  }
}

/** A prompt without a text field is on the screen: what does not answer it is typed into the draft. */
function inChoices(state: ViewState, action: KeyAction, nowMs: number): ViewState {
  switch (action.type) {
    case "insert":
      return pressInPrompt(state, action.text, nowMs);
    case "paste":
      return paste(typeAside(state, ""), action.text, nowMs);
    case "newline":
      return typeAside(state, "\n");
    case "move":
      return moveCursor(state, action.motion);
    case "remove":
      return removeText(typeAside(state, ""), action.motion);
    case "previous":
    case "back-tab":
      return moveInPrompt(state, -1, nowMs);
    case "next":
    case "tab":
      return moveInPrompt(state, 1, nowMs);
    case "enter":
      return enterChoice(state, nowMs);
    case "escape":
    case "cancel":
    case "interrupt":
      return anywhere(state, action, nowMs);
    default:
      return state;
  }
}

function inPicker(state: ViewState, action: KeyAction, nowMs: number): ViewState {
  switch (action.type) {
    case "insert":
      return pointInPicker(state, (list) => narrowedList(list, list.query + action.text));
    case "remove":
      return pointInPicker(state, (list) =>
        narrowedList(list, action.motion === "left" ? list.query.slice(0, -1) : ""),
      );
    case "previous":
    case "back-tab":
      return pointInPicker(state, (list) => movedList(list, -1));
    case "next":
    case "tab":
      return pointInPicker(state, (list) => movedList(list, 1));
    case "enter":
      return choosePicker(state);
    case "escape":
    case "cancel":
    case "clear":
      return anywhere(state, action, nowMs);
    default:
      return state;
  }
}

function anywhere(state: ViewState, action: KeyAction, nowMs: number): ViewState {
  switch (action.type) {
    case "escape":
      return closeTop(state, nowMs);
    case "cancel":
      return cancel(state, nowMs);
    case "end-of-input":
      return endOfInput(state);
    case "edit-outside":
      return state.prompts.length > 0 ? state : effect(state, { do: "open-editor", text: state.editor.buffer.text });
    case "suspend":
      return effect(state, { do: "suspend" });
    case "clear":
      return effect(state, { do: "clear-screen" });
    case "paste-image":
      return state.prompts.length > 0 ? state : effect(state, { do: "paste-image" });
    case "record":
      return state.voice === undefined ? state : effect(state, { do: "voice", act: "toggle" });
    case "open-calls":
      return openCalls(state);
    case "search-history":
      return openHistory(state);
    case "open-commands":
      return state.prompts.length > 0 ? state : effect(state, { do: "list-commands" });
    case "interrupt":
      return effect(state, { do: "interrupt" });
    default:
      return state;
  }
}

function reduceOutcome(state: ViewState, action: OutcomeAction, nowMs: number): ViewState {
  switch (action.type) {
    case "tick":
      return forgetLeaving(focus(expire(state, nowMs), nowMs), nowMs);
    case "printed":
      return { ...state, pending: state.pending.slice(action.count) };
    case "effects-taken":
      return { ...state, effects: [] };
    case "session-ready":
      return becomeReady(state, action);
    case "submitted":
      return submitted(state, action, nowMs);
    case "surface":
      return actOnSurface(state, action.action);
    case "show-view":
      return showView(state, action.view);
    case "commands":
      return openCommands(state, action.items);
    case "open-picker":
      return openPicker(state, action.view);
    case "show":
      return print(state, action.item);
    case "say":
      return notice(state, action.level, action.text);
    case "completions":
      return offer(state, action.line, action.items);
    case "history-loaded":
      return { ...state, editor: { ...state.editor, history: [...state.editor.history, ...action.entries] } };
    case "image-attached":
      return { ...state, editor: { ...state.editor, images: [...state.editor.images, action.path] } };
    case "draft-edited":
      return editDraft(state, bufferOf(action.text, action.cursor));
    case "unqueued":
      return edit(state, ({ text }) => bufferOf(text === "" ? action.text : `${action.text}\n${text}`));
    case "voice":
      return { ...state, voice: action.voice };
    case "command-start":
      return { ...state, busyCommand: action.label, isShellRunning: action.isShell === true };
    case "command-end":
      return {
        ...state,
        busyCommand: undefined,
        isShellRunning: false,
        workEndedAtMs: state.isShellRunning ? nowMs : state.workEndedAtMs,
      };
    case "settings":
      return { ...state, settings: { ...state.settings, ...action.settings } };
    case "facts":
      return {
        ...state,
        branch: action.branch ?? state.branch,
        isConfigChanged: action.isConfigChanged ?? state.isConfigChanged,
        processes: action.processes ?? state.processes,
      };
    case "leave":
      return effect({ ...state, phase: "closing" }, { do: "exit", code: action.code });
  }
}

function becomeReady(
  state: ViewState,
  { info, history }: Extract<OutcomeAction, { readonly type: "session-ready" }>,
): ViewState {
  const known = withSession({ ...state, usage: { ...state.usage, model: undefined } }, info);
  const isFirst = state.phase === "starting";
  // What was said while the session was opening waits below the banner.
  const greeted: ViewState = isFirst ? { ...known, pending: [{ kind: "banner", info }, ...known.pending] } : known;
  const isMinimal = state.settings.resumeDisplay === "minimal";
  const resumed = history.length > 0 ? print(greeted, { kind: "resume", history, isMinimal }) : greeted;
  return sendEarly({ ...resumed, phase: state.phase === "closing" ? "closing" : "ready" });
}

const outcomeTypes: ReadonlySet<string> = new Set<OutcomeAction["type"]>([
  "tick",
  "printed",
  "effects-taken",
  "session-ready",
  "submitted",
  "surface",
  "show-view",
  "open-picker",
  "show",
  "say",
  "completions",
  "commands",
  "history-loaded",
  "image-attached",
  "draft-edited",
  "unqueued",
  "voice",
  "command-start",
  "command-end",
  "settings",
  "facts",
  "leave",
]);
const keyTypes: ReadonlySet<string> = new Set<KeyAction["type"]>([
  "insert",
  "paste",
  "newline",
  "move",
  "remove",
  "yank",
  "undo",
  "previous",
  "next",
  "enter",
  "tab",
  "back-tab",
  "escape",
  "cancel",
  "end-of-input",
  "edit-outside",
  "suspend",
  "clear",
  "paste-image",
  "record",
  "open-calls",
  "search-history",
  "open-commands",
  "interrupt",
]);

function isOutcome(action: UserAction): action is OutcomeAction {
  return outcomeTypes.has(action.type);
}

function isAction(input: SessionEvent | UserAction): input is UserAction {
  return outcomeTypes.has(input.type) || keyTypes.has(input.type);
}
