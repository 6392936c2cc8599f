import { graphemes } from "#foundation/text/text";
import { displayWidth } from "#foundation/text/width";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Gives way first when the line is too long. */
  readonly isFlexible?: boolean;
}

const gap = "  ";
const narrowest = 8;

/** Columns as wide as what they hold; flexible ones are cut when the line would be longer than the terminal. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): readonly string[] {
  const clean = rows.map((row) => columns.map((_, index) => oneLine(row[index] ?? "")));
  const natural = columns.map((column, index) =>
    Math.max(displayWidth(column.title), ...clean.map((row) => displayWidth(row[index] ?? ""))),
  );
  const widths = fitted(columns, natural, maxWidth);
  const header = columns.map((column) => column.title);
  return [header, ...clean].map((row) =>
    row
      .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.align ?? "left"))
      .join(gap)
      .trimEnd(),
  );
}

function fitted(columns: readonly Column[], natural: readonly number[], maxWidth: number): readonly number[] {
  const total = natural.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1);
  const flexible = columns.flatMap((column, index) => (column.isFlexible === true ? [index] : []));
  let excess = total - maxWidth;
  const widths = [...natural];
  // The widest gives way first, so that no column is cut while another has room to spare.
  while (excess > 0) {
    const widest = flexible.reduce<number | undefined>(
      (best, index) => (best === undefined || (widths[index] ?? 0) > (widths[best] ?? 0) ? index : best),
      undefined,
    );
    if (widest === undefined || (widths[widest] ?? 0) <= narrowest) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

/** Control characters in a title or a preview must not move the cursor of whoever lists it. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim();
}

function pad(text: string, width: number, align: "left" | "right"): string {
  const cut = cutTo(text, width);
  const room = " ".repeat(Math.max(0, width - displayWidth(cut)));
  return align === "right" ? `${room}${cut}` : `${cut}${room}`;
}

function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  for (const piece of graphemes(text)) {
    if (displayWidth(`${kept}${piece}`) > width - 1) break;
    kept += piece;
  }
  return `${kept}…`;
}
