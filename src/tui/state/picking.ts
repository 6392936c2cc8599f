import type { Completion, PickerItem } from "#session";
import { bufferOf } from "../input/buffer.ts";
import { builtInSkins } from "../theme/skins.ts";
import { editDraft } from "./editing/editing.ts";
import { hand } from "./editing/submitting.ts";
import { effect, notice, type PickerState, print, type ViewState } from "./state.ts";

/** Something to choose, in the chat or at a question of the shell. */
export interface ListItem {
  readonly label: string;
  readonly detail: string;
  readonly value?: string | undefined;
  readonly isCurrent?: boolean | undefined;
  /** Shown whole while it is pointed at. */
  readonly help?: string | undefined;
}

/** A list that is narrowed by what is typed. */
export interface ListState<T extends ListItem = ListItem> {
  readonly title: string;
  readonly items: readonly T[];
  readonly query: string;
  readonly index: number;
  /** Of a checklist: the places in `items` that are on. */
  readonly marked?: ReadonlySet<number> | undefined;
}

/** What has the words in its name comes before what only speaks of them. */
export function shownItems<T extends ListItem>(list: ListState<T>): readonly T[] {
  const words = list.query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return list.items;
  const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const named = list.items.filter(({ label }) => has(label));
  const told = list.items.filter(
    ({ label, value = "", detail, help = "" }) => !has(label) && has(`${label} ${value} ${detail} ${help}`),
  );
  return [...named, ...told];
}

export function chosenItem<T extends ListItem>(list: ListState<T>): T | undefined {
  return shownItems(list)[list.index];
}

export function movedList<S extends ListState>(list: S, step: 1 | -1): S {
  const count = shownItems(list).length;
  return count === 0 ? list : { ...list, index: (list.index + step + count) % count };
}

export function narrowedList<S extends ListState>(list: S, query: string): S {
  return { ...list, query, index: 0 };
}

/** A list to choose from; typing narrows it. Of the skins the one in use is marked, and each is shown while it is pointed at. */
export function openPicker(
  state: ViewState,
  {
    title,
    items: all,
    command,
  }: { readonly title: string; readonly items: readonly PickerItem[]; readonly command: string },
): ViewState {
  const skinBefore = command === "/skin" ? state.settings.skin : undefined;
  const items = skinBefore === undefined ? all : all.map((item) => skinItem(item, skinBefore));
  const index = Math.max(
    0,
    items.findIndex((item) => item.isCurrent),
  );
  return { ...state, picker: { title, items, command, query: "", index, skinBefore } };
}

/** The session knows a skin by its name only. */
function skinItem(item: PickerItem, current: string): PickerItem {
  const detail = builtInSkins.find(({ name }) => name === item.value)?.description ?? item.detail;
  return { ...item, detail, isCurrent: item.value === current };
}

/** Without a choice: a skin that was only looked at goes again. */
export function closePicker(state: ViewState): ViewState {
  const before = state.picker?.skinBefore;
  const closed: ViewState = { ...state, picker: undefined };
  return before === undefined ? closed : effect(closed, { do: "set-skin", name: before });
}

/** The choice moved. */
export function pointInPicker(state: ViewState, change: (picker: PickerState) => PickerState): ViewState {
  const moved = changePicker(state, change);
  const pointed = moved.picker?.skinBefore === undefined ? undefined : chosenItem(moved.picker)?.value;
  return pointed === undefined ? moved : effect(moved, { do: "set-skin", name: pointed });
}

function changePicker(state: ViewState, change: (picker: PickerState) => PickerState): ViewState {
  return state.picker === undefined ? state : { ...state, picker: change(state.picker) };
}

/** Lists of the terminal itself; their choice is no command for the session. */
const ownLists = { calls: "tool calls", history: "history", commands: "commands" } as const;

/** Ctrl-O: every finished call, the newest first. */
export function openCalls(state: ViewState): ViewState {
  const items = state.finishedCalls.map(({ callId, line }) => ({
    value: callId,
    label: `${line.emoji} ${line.verb} ${line.detail}`.trim(),
    detail: line.mark.trim(),
    isCurrent: false,
  }));
  if (items.length === 0) return notice(state, "info", "No tool has run yet.");
  return openPicker(state, { title: "Tool calls", items, command: ownLists.calls });
}

/** Ctrl-R: lines of earlier, the newest first; the chosen one becomes the draft. */
export function openHistory(state: ViewState): ViewState {
  const lines = [...new Set(state.editor.history)].slice(0, 1_000);
  if (lines.length === 0) return notice(state, "info", "There is no history yet.");
  const items = lines.map((line) => ({ value: line, label: line.replace(/\s+/g, " "), detail: "", isCurrent: false }));
  const opened = openPicker(state, { title: "History", items, command: ownLists.history });
  return changePicker(opened, (list) => narrowedList(list, state.editor.buffer.text));
}

/** F1: every command, found by any word of its name or description. */
export function openCommands(state: ViewState, all: readonly Completion[]): ViewState {
  const items = all.map(({ text, label, detail }) => ({ value: text, label, detail, isCurrent: false }));
  // Another list, or a question, may have come meanwhile.
  if (items.length === 0 || state.picker !== undefined || state.prompts.length > 0) return state;
  return openPicker(state, { title: "Commands", items, command: ownLists.commands });
}

/** A command that needs words goes into the draft, where they are typed; any other runs. */
function chooseCommand(state: ViewState, { value, label }: PickerItem): ViewState {
  if (label.includes(" <")) return editDraft(state, bufferOf(`${value} `));
  return hand(state, { text: value, shown: value, images: [] });
}

export function choosePicker(state: ViewState): ViewState {
  const { picker } = state;
  if (picker === undefined) return state;
  const chosen = chosenItem(picker);
  if (chosen === undefined) return state;
  const closed: ViewState = { ...state, picker: undefined };
  if (picker.command === ownLists.calls) return showCall(closed, chosen.value);
  if (picker.command === ownLists.history) return editDraft(closed, bufferOf(chosen.value));
  if (picker.command === ownLists.commands) return chooseCommand(closed, chosen);
  return effect(closed, { do: "submit", text: `${picker.command} ${chosen.value}`.trim(), images: [], isTyped: false });
}

function showCall(state: ViewState, callId: string): ViewState {
  const call = state.finishedCalls.find((one) => one.callId === callId);
  if (call === undefined) return state;
  return print(state, { kind: "tool", line: call.line, full: { args: call.args, result: call.result } });
}
