import type { IBufferCell, Terminal } from "@xterm/headless";

/** A stretch of a row that looks the same. */
export interface Run {
  readonly text: string;
  readonly look: Readonly<Record<string, string>>;
}

const named = [
  "#2e3138 #f0717a #8fd18b #e6c07b #7aa7f7 #c792ea #6fc3cf #c9cdd6",
  "#767c89 #ff9aa2 #b1e6ad #f5d89b #a3c4ff #dcb3f5 #9be0ea #ffffff",
].flatMap((row) => row.split(" "));

function paletteColor(index: number): string {
  if (index < 16) return named[index] ?? "";
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const level = (part: number): number => (part === 0 ? 0 : 55 + part * 40);
  const at = index - 16;
  return `rgb(${level(Math.floor(at / 36))} ${level(Math.floor(at / 6) % 6)} ${level(at % 6)})`;
}

const rgb = (color: number): string => `rgb(${color >> 16} ${(color >> 8) & 255} ${color & 255})`;

function lookOf(cell: IBufferCell, isCursor: boolean): Readonly<Record<string, string>> {
  const color = (isRgb: boolean, isPalette: boolean, value: number): string | undefined =>
    isRgb ? rgb(value) : isPalette ? paletteColor(value) : undefined;
  const front = color(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor());
  const back = color(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor());
  const isTurned = (cell.isInverse() !== 0) !== isCursor;
  const [text, ground] = isTurned ? [back ?? "var(--term-back)", front ?? "var(--term-text)"] : [front, back];
  const look: Record<string, string> = {};
  if (text !== undefined) look["color"] = text;
  if (ground !== undefined) look["background"] = ground;
  if (cell.isBold()) look["fontWeight"] = "700";
  if (cell.isItalic()) look["fontStyle"] = "italic";
  if (cell.isDim()) look["opacity"] = "0.65";
  if (cell.isUnderline()) look["textDecoration"] = "underline";
  if (cell.isStrikethrough()) look["textDecoration"] = "line-through";
  if (cell.getWidth() === 2) look["width"] = "2ch";
  return look;
}

/** The rows in sight, each as its stretches. */
export function rowsOf(terminal: Terminal): readonly (readonly Run[])[] {
  const { active } = terminal.buffer;
  const cursorRow = active.baseY + active.cursorY;
  return Array.from({ length: terminal.rows }, (_, row) => {
    const at = active.viewportY + row;
    return runsOf(terminal, at, at === cursorRow ? active.cursorX : -1);
  });
}

function runsOf(terminal: Terminal, at: number, cursorColumn: number): readonly Run[] {
  const line = terminal.buffer.active.getLine(at);
  const runs: { text: string; look: Readonly<Record<string, string>>; key: string }[] = [];
  for (let column = 0; line !== undefined && column < terminal.cols; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const look = lookOf(cell, column === cursorColumn);
    const key = JSON.stringify(look);
    const last = runs.at(-1);
    const text = cell.getChars() || " ";
    // Two columns wide is a box of its own: fonts differ in how wide they draw it.
    if (last?.key === key && cell.getWidth() === 1) last.text += text;
    else runs.push({ text, look, key });
  }
  return runs;
}
