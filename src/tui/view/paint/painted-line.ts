import type { Line } from "../../text/styled.ts";
import { displayWidth } from "../../text/width.ts";

/** The escape sequence that switches a style on; empty for plain text. */
export type SgrOf = (style: string | undefined) => string;

interface Run {
  readonly text: string;
  readonly sgr: string;
}

/** A row as it is sent to the terminal, and in pieces, so that a later version of it can be sent in part. */
export interface PaintedLine {
  readonly ansi: string;
  readonly runs: readonly Run[];
  readonly width: number;
  /** Holds text some terminals draw wider or narrower than others. */
  readonly isUnsure: boolean;
}

const reset = "\x1b[0m";

/**
 * The only place where text becomes terminal output: control characters and escape sequences inside
 * text are dropped here, so nothing a model or a tool says can steer the terminal.
 */
export function paintLine(line: Line, sgrOf: SgrOf): PaintedLine {
  const runs: Run[] = [];
  for (const span of line) {
    const text = harmless(span.text);
    if (text === "") continue;
    const sgr = sgrOf(span.style);
    const last = runs.at(-1);
    if (last !== undefined && last.sgr === sgr) runs[runs.length - 1] = { text: last.text + text, sgr };
    else runs.push({ text, sgr });
  }
  return {
    ansi: toAnsi(runs),
    runs,
    width: runs.reduce((sum, run) => sum + displayWidth(run.text), 0),
    isUnsure: runs.some((run) => unsure.test(run.text)),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
const controls = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

export function harmless(text: string): string {
  return text.replace(controls, "");
}

function toAnsi(runs: readonly Run[]): string {
  return runs.map((run) => (run.sgr === "" ? run.text : `${run.sgr}${run.text}${reset}`)).join("");
}

export interface RowChange {
  /** Column from which the row differs. */
  readonly column: number;
  readonly ansi: string;
  /** Columns that were sent, when the rest of the row stays; undefined when everything up to its end was. */
  readonly width?: number;
}

/** Text whose width terminals do not agree on: behind it a row is never changed in the middle. */
const unsure = /\p{M}|\p{Default_Ignorable_Code_Point}|[\u{1f000}-\u{1faff}]/u;

/** What has to be sent to turn one row into the other. */
export function changeOf(before: PaintedLine, after: PaintedLine): RowChange {
  let column = 0;
  for (const [index, next] of after.runs.entries()) {
    const old = before.runs[index];
    if (old === undefined || old.sgr !== next.sgr) return restFrom(after, { index, from: 0, column });
    if (old.text !== next.text) return changeInRun(before, after, { index, column });
    if (unsure.test(next.text)) return changeBehind(before, after, index);
    column += displayWidth(next.text);
  }
  return { column, ansi: "" };
}

/** The row differs somewhere behind text that is not sure: all of it is sent again, unless nothing differs at all. */
function changeBehind(before: PaintedLine, after: PaintedLine, index: number): RowChange {
  const isSame = before.ansi === after.ansi;
  return isSame
    ? { column: after.width, ansi: "" }
    : restFrom(after, { index, from: 0, column: widthBefore(after, index) });
}

function widthBefore(line: PaintedLine, index: number): number {
  return line.runs.slice(0, index).reduce((sum, run) => sum + displayWidth(run.text), 0);
}

function changeInRun(before: PaintedLine, after: PaintedLine, at: { index: number; column: number }): RowChange {
  const old = before.runs[at.index]?.text ?? "";
  const next = after.runs[at.index]?.text ?? "";
  if (unsure.test(old) || unsure.test(next)) return restFrom(after, { index: at.index, from: 0, column: at.column });
  const same = commonStart(old, next);
  const from = at.column + displayWidth(next.slice(0, same));
  const end = commonEnd(old.slice(same), next.slice(same));
  const isTailSame = sameTail(before, after, at.index) && displayWidth(old) === displayWidth(next);
  const tail = isTailSame ? end : 0;
  if (!isTailSame) return restFrom(after, { index: at.index, from: same, column: from });
  const changed = next.slice(same, next.length - tail);
  const run = { text: changed, sgr: after.runs[at.index]?.sgr ?? "" };
  return { column: from, ansi: changed === "" ? "" : toAnsi([run]), width: displayWidth(changed) };
}

function sameTail(before: PaintedLine, after: PaintedLine, index: number): boolean {
  if (before.runs.length !== after.runs.length) return false;
  return after.runs.slice(index + 1).every((run, offset) => {
    const old = before.runs[index + 1 + offset];
    return old?.text === run.text && old.sgr === run.sgr;
  });
}

function restFrom(line: PaintedLine, at: { index: number; from: number; column: number }): RowChange {
  const first = line.runs[at.index];
  if (first === undefined) return { column: at.column, ansi: "" };
  const runs = [{ ...first, text: first.text.slice(at.from) }, ...line.runs.slice(at.index + 1)];
  return { column: at.column, ansi: toAnsi(runs.filter((run) => run.text !== "")) };
}

/** Never cuts a character in two. */
function commonStart(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  let index = 0;
  while (index < end && left[index] === right[index]) index += 1;
  return index > 0 && isHigh(left, index - 1) ? index - 1 : index;
}

function commonEnd(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  let count = 0;
  while (count < end && left.at(-1 - count) === right.at(-1 - count)) count += 1;
  return count > 0 && isHigh(right, right.length - count - 1) ? count - 1 : count;
}

function isHigh(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
