import type { Widget } from "../../extension.ts";
import { cutLine, type Line, toLine } from "../../text/styled.ts";
import { displayWidth } from "../../text/width.ts";

export interface Composed {
  readonly lines: readonly Line[];
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
}

/** Stacks the visible widgets. More rows than the terminal has lose their beginning: it is the oldest. */
export function compose(
  widgets: readonly Widget[],
  size: { readonly columns: number; readonly rows: number },
): Composed {
  const all = widgets
    .filter((widget) => widget.visible?.() ?? true)
    .flatMap((widget) => widget.render(size.columns).map((row) => cutLine(toLine(row), size.columns)));
  const lines = all.slice(-Math.max(1, size.rows));
  return { lines, cursor: cursorIn(lines) };
}

function cursorIn(lines: readonly Line[]): Composed["cursor"] {
  for (let row = lines.length - 1; row >= 0; row -= 1) {
    let column = 0;
    for (const span of lines[row] ?? []) {
      if (span.isCursor === true) return { row, column };
      column += displayWidth(span.text);
    }
  }
  return undefined;
}
