import type { Tokens } from "marked";
import { inlineSpans } from "./markdown-inline.ts";
import { type Line, lineWidth, padLine, type Span } from "./styled.ts";
import { wrapLine } from "./wrap.ts";

const gap = " │ ";
const minColumn = 4;

/** A table with aligned columns; cells wrap when the terminal is narrow. */
export function tableRows(token: Tokens.Table, columns: number): Line[] {
  const header = token.header.map((cell) => inlineSpans(cell.tokens, "strong"));
  const body = token.rows.map((row) => row.map((cell) => inlineSpans(cell.tokens)));
  const widths = columnWidths([header, ...body], columns);
  const ruleRow: Line = [{ text: widths.map((width) => "─".repeat(width)).join("─┼─"), style: "dim" }];
  return [...tableRow(header, widths), ruleRow, ...body.flatMap((row) => tableRow(row, widths))];
}

/** Aligns rows of plain text the same way. */
export function plainTable(columns: readonly string[], rows: readonly (readonly string[])[], width: number): Line[] {
  const cells = [
    columns.map((text) => [{ text, style: "strong" }]),
    ...rows.map((row) => row.map((text) => [{ text }])),
  ];
  const widths = columnWidths(cells, width);
  const [header, ...body] = cells;
  const ruleRow: Line = [{ text: widths.map((one) => "─".repeat(one)).join("─┼─"), style: "dim" }];
  return [...tableRow(header ?? [], widths), ruleRow, ...body.flatMap((row) => tableRow(row, widths))];
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

function tableRow(cells: readonly Line[], widths: readonly number[]): Line[] {
  const wrapped = widths.map((width, index) => wrapLine(cells[index] ?? [], width));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    widths.flatMap((width, index): Span[] => {
      const isLast = index === widths.length - 1;
      const cell = wrapped[index]?.[row] ?? [];
      return isLast ? [...cell] : [...padLine(cell, width), { text: gap, style: "dim" }];
    }),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
