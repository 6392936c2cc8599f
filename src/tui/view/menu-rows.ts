import { type ListItem, type ListState, shownItems } from "../state/picking.ts";
import type { CompletionState } from "../state/state.ts";
import { boxBottom, boxTop } from "../text/box.ts";
import { cutText, type Line } from "../text/styled.ts";
import { displayWidth } from "../text/width.ts";
import { wrapText } from "../text/wrap.ts";

const menuRows = 8;
const maxListRows = 12;
const helpHeight = 2;
/** Frame, search and a little of what was there before. */
const rowsAround = 6;

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
export function listRows(
  list: ListState,
  { columns, rows: height }: { readonly columns: number; readonly rows: number },
): Line[] {
  const items = shownItems(list);
  const help = helpRows(list, items[list.index], columns);
  const room = height - rowsAround - help.length;
  const most = Math.max(maxListRows, Math.floor(height / 2));
  const { from, shown } = slice(items, list.index, Math.max(3, Math.min(most, room)));
  const rows = shown.map((item, row): Line => {
    const isSelected = from + row === list.index;
    const text = cutText(`${isSelected ? "❯ " : "  "}${markOf(list, item)}${item.label}`, columns - 2);
    const room = columns - displayWidth(text) - 4;
    return [
      { text: `  ${text}`, style: isSelected ? "selected" : undefined },
      { text: room > 6 && item.detail !== "" ? `  ${cutText(item.detail, room)}` : "", style: "dim" },
    ];
  });
  const empty: Line[] = items.length === 0 ? [[{ text: "    nothing matches", style: "dim" }]] : [];
  const keys = list.marked === undefined ? "↑ ↓ Enter · Esc" : "Space toggles · Enter saves · Esc";
  const search: Line = [
    { text: "  search: ", style: "dim" },
    { text: list.query },
    { text: "", isCursor: true },
    { text: cutText(`  (${countText(list, items)}; ${keys})`, columns - 12), style: "dim" },
  ];
  return [
    boxTop(list.title, columns, "session-border"),
    search,
    ...rows,
    ...empty,
    ...help,
    boxBottom(columns, "session-border", moreText(from, items.length - from - shown.length)),
  ];
}

function countText(list: ListState, matching: readonly ListItem[]): string {
  return list.query === "" ? String(list.items.length) : `${matching.length} of ${list.items.length}`;
}

/** What is out of sight is named: a list that ends at its frame looks complete. */
function moreText(above: number, below: number): string {
  return [above > 0 ? `↑ ${above}` : "", below > 0 ? `↓ ${below} more` : ""].filter((text) => text !== "").join(" · ");
}

/** What the list says about the chosen entry; as many rows for each, so that nothing moves. */
function helpRows({ items }: ListState, chosen: ListItem | undefined, columns: number): Line[] {
  if (!items.some(({ help }) => help !== undefined)) return [];
  const rows = wrapText(chosen?.help ?? "", Math.max(8, columns - 4)).slice(0, helpHeight);
  return Array.from(
    { length: helpHeight },
    (_, row): Line => [{ text: "  " }, ...(rows[row] ?? []).map((span) => ({ ...span, style: "dim" as const }))],
  );
}

function markOf({ items, marked }: ListState, item: ListItem): string {
  if (marked !== undefined) return marked.has(items.indexOf(item)) ? "[x] " : "[ ] ";
  return item.isCurrent === true ? "● " : "  ";
}

/** The part of a list around the chosen entry. */
function slice<T>(items: readonly T[], index: number, size: number): { from: number; shown: readonly T[] } {
  const from = Math.max(0, Math.min(index - Math.floor(size / 2), items.length - size));
  return { from, shown: items.slice(from, from + size) };
}

function pad(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}
