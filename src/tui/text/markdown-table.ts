import type { Tokens } from "marked";
import { inlineSpans } from "./markdown-inline.ts";
import { type Line, lineWidth, padLine, type Span } from "./styled.ts";
import { wrapLine } from "./wrap.ts";

const gap = " │ ";
const minColumn = 4;

type Alignment = "left" | "center" | "right" | null;

/** A table with aligned columns; cells wrap when the terminal is narrow. */
export function tableRows(token: Tokens.Table, columns: number): Line[] {
  const header = token.header.map((cell) => inlineSpans(cell.tokens, "strong"));
  const body = token.rows.map((row) => row.map((cell) => inlineSpans(cell.tokens)));
  return layOut([header, ...body], columns, token.align);
}

/** Aligns rows of plain text the same way. */
export function plainTable(columns: readonly string[], rows: readonly (readonly string[])[], width: number): Line[] {
  const header = columns.map((text): Line => [{ text, style: "strong" }]);
  return layOut([header, ...rows.map((row) => row.map((text): Line => [{ text }]))], width, []);
}

/** The first row is the header; one that says nothing is left out, and its rule with it. */
function layOut(cells: readonly (readonly Line[])[], columns: number, alignments: readonly Alignment[]): Line[] {
  const widths = columnWidths(cells, columns);
  const [header = [], ...body] = cells;
  const ruleRow: Line = [{ text: widths.map((width) => "─".repeat(width)).join("─┼─"), style: "dim" }];
  const isSilent = header.every((cell) => lineWidth(cell) === 0);
  return [
    ...(isSilent ? [] : [...tableRow(header, widths, alignments), ruleRow]),
    ...body.flatMap((row) => tableRow(row, widths, alignments)),
  ];
}

/** Natural widths when they fit; otherwise the widest columns give way first. */
function columnWidths(rows: readonly (readonly Line[])[], columns: number): number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(1, ...rows.map((row) => lineWidth(row[index] ?? []))),
  );
  const room = columns - gap.length * Math.max(0, count - 1);
  for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= minColumn) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function tableRow(cells: readonly Line[], widths: readonly number[], alignments: readonly Alignment[]): Line[] {
  const wrapped = widths.map((width, index) => wrapLine(cells[index] ?? [], width));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    widths.flatMap((width, index): Span[] => {
      const isLast = index === widths.length - 1;
      const cell = shifted(wrapped[index]?.[row] ?? [], width, alignments[index] ?? null);
      return isLast ? [...cell] : [...padLine(cell, width), { text: gap, style: "dim" }];
    }),
  );
}

/** Moved to the right as far as its alignment asks. */
function shifted(cell: Line, width: number, alignment: Alignment): Line {
  const room = width - lineWidth(cell);
  const before = alignment === "right" ? room : alignment === "center" ? Math.floor(room / 2) : 0;
  return before > 0 && cell.length > 0 ? [{ text: " ".repeat(before) }, ...cell] : cell;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
