import type { Line } from "../../text/styled.ts";
import { changeOf, type PaintedLine, paintLine, type RowChange, type SgrOf } from "./painted-line.ts";

/** One picture of the bottom of the terminal. */
export interface Frame {
  /** Rows that are finished: written once, above everything that lives, and never touched again. */
  readonly printed: readonly Line[];
  /** Rows that may change with the next frame; at most as many as the terminal is high. */
  readonly live: readonly Line[];
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
  readonly columns: number;
  readonly rows: number;
}

/**
 * Keeps the live rows at the end of the terminal's own scrollback. Invariants:
 *
 * 1. Only the live rows are ever rewritten, and of them only what differs; moving between them is relative,
 *    so it does not matter where on the screen they stand.
 * 2. The screen is never cleared. Rows are inserted and deleted in place, so what stands below is not sent again.
 * 3. A row that was live and becomes printed without a change costs nothing.
 */
export class Painter {
  readonly #write: (text: string) => void;
  #live: readonly PaintedLine[] = [];
  #row = 0;
  #column = 0;
  #columns = 0;
  #isCursorShown = true;
  #out = "";

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  paint(frame: Frame, sgrOf: SgrOf): void {
    if (this.#columns !== 0 && this.#columns !== frame.columns) this.#eraseAfterResize(frame.columns);
    this.#columns = frame.columns;
    const next = [...frame.printed, ...frame.live].map((line) => paintLine(line, sgrOf));
    const changed = this.#update(next, frame.rows);
    this.#live = next.slice(frame.printed.length);
    this.#row -= frame.printed.length;
    this.#placeCursor(frame);
    this.#flush(changed);
  }

  /** Takes the live rows away; the cursor stands where they began. */
  erase(): void {
    this.#moveTo(0);
    this.#out += "\r\x1b[J";
    this.#showCursor(true);
    this.#live = [];
    this.#row = 0;
    this.#column = 0;
    this.#flush(2);
  }

  /** The screen was cleared, or another program has drawn on it: nothing of ours is there any more. */
  forget(): void {
    this.#live = [];
    this.#row = 0;
    this.#column = 0;
    this.#columns = 0;
    this.#isCursorShown = true;
  }

  /** @returns how many rows were touched. */
  #update(next: readonly PaintedLine[], height: number): number {
    const old = this.#live;
    const limit = Math.min(old.length, next.length);
    let head = 0;
    while (head < limit && old[head]?.ansi === next[head]?.ansi) head += 1;
    if (head === old.length && head === next.length) return 0;
    let tail = 0;
    while (tail < limit - head && old.at(-1 - tail)?.ansi === next.at(-1 - tail)?.ansi) tail += 1;
    const growth = next.length - old.length;
    if (tail > 0 && growth > 0 && next.length <= height)
      this.#insertRows(old.length, { at: old.length - tail, growth });
    else if (tail > 0 && growth < 0) this.#deleteRows(next.length - tail, -growth);
    else if (growth !== 0) tail = 0;
    this.#rewrite(old, next, { from: head, to: next.length - tail, growth });
    if (tail === 0 && growth < 0) this.#clearBelow(next.length);
    return next.length - tail - head;
  }

  #insertRows(oldLength: number, { at, growth }: { at: number; growth: number }): void {
    this.#moveTo(oldLength - 1);
    this.#out += "\n".repeat(growth);
    this.#row += growth;
    this.#moveTo(at);
    this.#out += `\r\x1b[${growth}L`;
    this.#column = 0;
  }

  #deleteRows(at: number, count: number): void {
    this.#moveTo(at);
    this.#out += `\r\x1b[${count}M`;
    this.#column = 0;
  }

  #rewrite(
    old: readonly PaintedLine[],
    next: readonly PaintedLine[],
    range: { from: number; to: number; growth: number },
  ): void {
    // Rows between the unchanged head and the inserted ones still show their old text.
    const known = range.growth > 0 && range.to < next.length ? range.to - range.growth : old.length;
    for (let index = range.from; index < range.to; index += 1) {
      const line = next[index];
      if (line === undefined) continue;
      const before = index < known ? old[index] : undefined;
      if (before?.ansi === line.ansi) continue;
      this.#goTo(index, range.to < next.length ? next.length : old.length);
      this.#writeRow(before, line);
    }
  }

  #writeRow(before: PaintedLine | undefined, line: PaintedLine): void {
    const change: RowChange = before === undefined ? { column: 0, ansi: line.ansi } : changeOf(before, line);
    if (change.column !== this.#column) this.#out += change.column === 0 ? "\r" : `\x1b[${change.column + 1}G`;
    this.#out += change.ansi;
    this.#column = change.width === undefined ? line.width : change.column + change.width;
    const isShorter = before !== undefined && (before.width > line.width || before.isUnsure);
    if (isShorter && change.width === undefined && line.width < this.#columns) this.#out += "\x1b[K";
    // At the right edge the cursor waits in a state of its own, and behind unsure text nobody knows where it is.
    if (this.#column >= this.#columns || line.isUnsure) this.#column = -1;
  }

  /** Rows below the known ones come into being by a line feed. */
  #goTo(row: number, known: number): void {
    if (row < known || row <= this.#row) {
      this.#moveTo(row);
      return;
    }
    this.#moveTo(Math.max(0, Math.max(known - 1, this.#row)));
    while (this.#row < row) {
      this.#out += "\r\n";
      this.#row += 1;
      this.#column = 0;
    }
  }

  #clearBelow(length: number): void {
    if (length === 0) {
      this.#moveTo(0);
      this.#out += "\r\x1b[J";
      this.#column = 0;
      return;
    }
    this.#moveTo(length);
    this.#out += "\r\x1b[J";
    this.#column = 0;
  }

  #moveTo(row: number): void {
    const distance = row - this.#row;
    if (distance > 0) this.#out += distance === 1 ? "\x1b[B" : `\x1b[${distance}B`;
    if (distance < 0) this.#out += distance === -1 ? "\x1b[A" : `\x1b[${-distance}A`;
    this.#row = row;
  }

  #placeCursor(frame: Frame): void {
    this.#showCursor(frame.cursor !== undefined);
    const target = frame.cursor ?? { row: Math.max(0, frame.live.length - 1), column: 0 };
    this.#moveTo(target.row);
    if (this.#column !== target.column) this.#out += target.column === 0 ? "\r" : `\x1b[${target.column + 1}G`;
    this.#column = target.column;
  }

  #showCursor(isShown: boolean): void {
    if (this.#isCursorShown === isShown) return;
    this.#isCursorShown = isShown;
    this.#out += isShown ? "\x1b[?25h" : "\x1b[?25l";
  }

  /** After a change of width the terminal has folded long rows anew; counts where the cursor went, and starts again below. */
  #eraseAfterResize(columns: number): void {
    const above = this.#live.slice(0, this.#row).reduce((sum, line) => sum + folded(line.width, columns), 0);
    const up = above + Math.max(0, Math.floor(Math.max(0, this.#column) / columns));
    if (up > 0) this.#out += `\x1b[${up}A`;
    this.#out += "\r\x1b[J";
    this.#live = [];
    this.#row = 0;
    this.#column = 0;
  }

  /** Several rows appear at once on terminals that can hold back output. */
  #flush(rowsTouched: number): void {
    if (this.#out === "") return;
    const text = rowsTouched > 1 ? `\x1b[?2026h${this.#out}\x1b[?2026l` : this.#out;
    this.#out = "";
    this.#write(text);
  }
}

function folded(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}
