import type { PickerItem } from "#session";
import { effect, type PickerState, type ViewState } from "./state.ts";

/** A list to choose from; typing narrows it. */
export function openPicker(
  state: ViewState,
  view: { readonly title: string; readonly items: readonly PickerItem[]; readonly command: string },
): ViewState {
  const index = Math.max(
    0,
    view.items.findIndex((item) => item.isCurrent),
  );
  return { ...state, picker: { title: view.title, items: view.items, command: view.command, query: "", index } };
}

export function pickerItems(picker: PickerState): readonly PickerItem[] {
  const words = picker.query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return picker.items.filter((item) => {
    const text = `${item.label} ${item.value} ${item.detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function movePicker(state: ViewState, step: 1 | -1): ViewState {
  const { picker } = state;
  if (picker === undefined) return state;
  const count = pickerItems(picker).length;
  return count === 0 ? state : { ...state, picker: { ...picker, index: (picker.index + step + count) % count } };
}

export function narrowPicker(state: ViewState, change: (query: string) => string): ViewState {
  const { picker } = state;
  return picker === undefined ? state : { ...state, picker: { ...picker, query: change(picker.query), index: 0 } };
}

export function choosePicker(state: ViewState): ViewState {
  const { picker } = state;
  if (picker === undefined) return state;
  const chosen = pickerItems(picker)[picker.index];
  if (chosen === undefined) return state;
  const closed: ViewState = { ...state, picker: undefined };
  return effect(closed, { do: "submit", text: `${picker.command} ${chosen.value}`.trim(), images: [], isTyped: false });
}
