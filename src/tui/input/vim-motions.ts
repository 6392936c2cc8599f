/** Where a motion leads in a text of characters. */
export interface Motion {
  readonly at: number;
  /** An operator takes the character there, too. */
  readonly isInclusive?: boolean;
  /** Of a text object: where it begins. */
  readonly from?: number;
}

interface Location {
  readonly cells: readonly string[];
  readonly at: number;
}

/** The line a place is in: its first character, and the place behind its last. */
export function lineOf(cells: readonly string[], at: number): { readonly from: number; readonly until: number } {
  const until = cells.indexOf("\n", at);
  return { from: at === 0 ? 0 : cells.lastIndexOf("\n", at - 1) + 1, until: until < 0 ? cells.length : until };
}

/** Motions within a line and between words, as vi has them; undefined for any other key. */
export function motionFrom({ cells, at }: Location, motion: string, count: number): Motion | undefined {
  const { from, until } = lineOf(cells, at);
  switch (motion) {
    case "h":
      return { at: Math.max(from, at - count) };
    case "l":
      return { at: Math.min(until, at + count) };
    case "0":
      return { at: from };
    case "^":
      return { at: from + (/^\s*/.exec(cells.slice(from, until).join(""))?.[0].length ?? 0) };
    case "$":
      return { at: until };
    case "gg":
      return { at: 0 };
    case "G":
      return { at: lineOf(cells, cells.length).from };
    case "w":
      return { at: repeated(at, count, (spot) => nextWord(cells, spot)) };
    case "b":
      return { at: repeated(at, count, (spot) => wordBefore(cells, spot)) };
    case "e":
      return { at: repeated(at, count, (spot) => endOfWord(cells, spot)), isInclusive: true };
    case "iw":
      return wordAround(cells, at);
    default:
      return undefined;
  }
}

function repeated(at: number, count: number, step: (at: number) => number): number {
  let spot = at;
  for (let left = count; left > 0; left -= 1) spot = step(spot);
  return spot;
}

type Kind = "blank" | "word" | "other";

function kindOf(cell: string | undefined): Kind {
  if (cell === undefined || /^\s/.test(cell)) return "blank";
  return /^[\p{L}\p{N}_]/u.test(cell) ? "word" : "other";
}

function nextWord(cells: readonly string[], at: number): number {
  let spot = at;
  const kind = kindOf(cells[spot]);
  while (spot < cells.length && kind !== "blank" && kindOf(cells[spot]) === kind) spot += 1;
  while (spot < cells.length && kindOf(cells[spot]) === "blank") spot += 1;
  return spot;
}

function wordBefore(cells: readonly string[], at: number): number {
  let spot = Math.max(0, at - 1);
  while (spot > 0 && kindOf(cells[spot]) === "blank") spot -= 1;
  const kind = kindOf(cells[spot]);
  while (spot > 0 && kindOf(cells[spot - 1]) === kind) spot -= 1;
  return spot;
}

function endOfWord(cells: readonly string[], at: number): number {
  const last = Math.max(0, cells.length - 1);
  let spot = Math.min(last, at + 1);
  while (spot < last && kindOf(cells[spot]) === "blank") spot += 1;
  const kind = kindOf(cells[spot]);
  while (spot < last && kindOf(cells[spot + 1]) === kind) spot += 1;
  return spot;
}

function wordAround(cells: readonly string[], at: number): Motion {
  const line = lineOf(cells, at);
  const kind = kindOf(cells[at]);
  let [from, until] = [at, at];
  while (from > line.from && kindOf(cells[from - 1]) === kind) from -= 1;
  while (until < line.until && kindOf(cells[until]) === kind) until += 1;
  return { from, at: until };
}
