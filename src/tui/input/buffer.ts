import { graphemes } from "#foundation/text/text";

/** A text and a place in it; every change gives a new one. The cursor never stands inside a character a reader sees as one. */
export interface TextBuffer {
  readonly text: string;
  /** Index in UTF-16 units. */
  readonly cursor: number;
}

export const emptyBuffer: TextBuffer = { text: "", cursor: 0 };

export function bufferOf(text: string, cursor = text.length): TextBuffer {
  return { text, cursor: Math.max(0, Math.min(text.length, cursor)) };
}

export function insert(buffer: TextBuffer, text: string): TextBuffer {
  const { text: old, cursor } = buffer;
  return { text: old.slice(0, cursor) + text + old.slice(cursor), cursor: cursor + text.length };
}

export type Motion =
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "line-start"
  | "line-end"
  | "up"
  | "down"
  | "start"
  | "end";

export function move(buffer: TextBuffer, motion: Motion): TextBuffer {
  return { text: buffer.text, cursor: target(buffer, motion) };
}

/** Removes everything between the cursor and where the motion leads. */
export function remove(buffer: TextBuffer, motion: Motion): { readonly buffer: TextBuffer; readonly removed: string } {
  const to = killTarget(buffer, motion);
  const [from, until] = to < buffer.cursor ? [to, buffer.cursor] : [buffer.cursor, to];
  return {
    buffer: { text: buffer.text.slice(0, from) + buffer.text.slice(until), cursor: from },
    removed: buffer.text.slice(from, until),
  };
}

/** At a line's end, killing to the end takes the line break, as readline does. */
function killTarget(buffer: TextBuffer, motion: Motion): number {
  const to = target(buffer, motion);
  if (to !== buffer.cursor) return to;
  if (motion === "line-end") return Math.min(buffer.text.length, to + 1);
  return motion === "line-start" ? Math.max(0, to - 1) : to;
}

function target(buffer: TextBuffer, motion: Motion): number {
  const { text, cursor } = buffer;
  switch (motion) {
    case "left":
      return cursor - (graphemes(lineBefore(buffer)).at(-1)?.length ?? (cursor > 0 ? 1 : 0));
    case "right":
      return cursor + (graphemes(lineAfter(buffer))[0]?.length ?? (cursor < text.length ? 1 : 0));
    case "word-left":
      return cursor - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text.slice(0, cursor))?.[0].length ?? 0);
    case "word-right":
      return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
    case "line-start":
      return cursor - lineBefore(buffer).length;
    case "line-end":
      return cursor + lineAfter(buffer).length;
    case "up":
    case "down":
      return vertical(buffer, motion);
    case "start":
      return 0;
    case "end":
      return text.length;
  }
}

function lineBefore({ text, cursor }: TextBuffer): string {
  return text.slice(text.lastIndexOf("\n", cursor - 1) + 1, cursor);
}

function lineAfter({ text, cursor }: TextBuffer): string {
  const end = text.indexOf("\n", cursor);
  return text.slice(cursor, end < 0 ? text.length : end);
}

/** The same character in the row above or below; the ends of the text when there is none. */
function vertical(buffer: TextBuffer, direction: "up" | "down"): number {
  const column = graphemes(lineBefore(buffer)).length;
  const rows = buffer.text.split("\n");
  const row = rowOf(buffer) + (direction === "up" ? -1 : 1);
  const line = rows[row];
  if (line === undefined) return direction === "up" ? 0 : buffer.text.length;
  const before = rows.slice(0, row).reduce((sum, one) => sum + one.length + 1, 0);
  return before + graphemes(line).slice(0, column).join("").length;
}

function rowOf({ text, cursor }: TextBuffer): number {
  return text.slice(0, cursor).split("\n").length - 1;
}

export function isFirstRow(buffer: TextBuffer): boolean {
  return rowOf(buffer) === 0;
}

export function isLastRow(buffer: TextBuffer): boolean {
  return !buffer.text.slice(buffer.cursor).includes("\n");
}
