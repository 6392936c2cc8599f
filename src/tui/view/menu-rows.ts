import { pickerItems } from "../state/picking.ts";
import type { CompletionState, PickerState } from "../state/state.ts";
import { boxBottom, boxTop } from "./box.ts";
import { cutText, type Line } from "./styled.ts";
import { displayWidth } from "./width.ts";

const menuRows = 8;
const pickerRows = 12;

/** The suggestions below the input. */
export function completionRows(state: CompletionState, columns: number): Line[] {
  const { from, shown } = slice(state.items, state.index, menuRows);
  const widest = Math.max(...shown.map((item) => displayWidth(item.label)));
  const labelColumns = Math.min(Math.max(12, widest), Math.floor(columns / 2));
  return shown.map((item, row) => {
    const isCurrent = from + row === state.index;
    const label = ` ${pad(cutText(item.label, labelColumns), labelColumns)} `;
    const room = columns - labelColumns - 3;
    const detail = room > 4 ? pad(cutText(` ${item.detail}`, room), room) : "";
    return [
      { text: label, style: isCurrent ? "menu-current" : "menu" },
      { text: detail, style: isCurrent ? "menu-meta-current" : "menu-meta" },
    ];
  });
}

/** A list to choose from, narrowed by what is typed. */
export function pickerLines(picker: PickerState, columns: number): Line[] {
  const items = pickerItems(picker);
  const { from, shown } = slice(items, picker.index, pickerRows);
  const rows = shown.map((item, row): Line => {
    const isSelected = from + row === picker.index;
    const mark = item.isCurrent ? "● " : "  ";
    const text = cutText(`${isSelected ? "❯ " : "  "}${mark}${item.label}`, columns - 2);
    const room = columns - displayWidth(text) - 4;
    return [
      { text: `  ${text}`, ...(isSelected ? { style: "selected" } : {}) },
      { text: room > 6 && item.detail !== "" ? `  ${cutText(item.detail, room)}` : "", style: "dim" },
    ];
  });
  const empty: Line[] = items.length === 0 ? [[{ text: "    nothing matches", style: "dim" }]] : [];
  const search: Line = [
    { text: "  search: ", style: "dim" },
    { text: picker.query },
    { text: "", isCursor: true },
    { text: `  (${items.length} of ${picker.items.length}; Enter chooses, Esc closes)`, style: "dim" },
  ];
  return [
    boxTop(picker.title, columns, "session-border"),
    search,
    ...rows,
    ...empty,
    boxBottom(columns, "session-border"),
  ];
}

/** The part of a list around the chosen entry. */
function slice<T>(items: readonly T[], index: number, size: number): { from: number; shown: readonly T[] } {
  const from = Math.max(0, Math.min(index - Math.floor(size / 2), items.length - size));
  return { from, shown: items.slice(from, from + size) };
}

function pad(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}
