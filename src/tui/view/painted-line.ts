import { displayWidth } from "#foundation/text";
import type { Line } from "./styled.ts";

/** The escape sequence that switches a style on; empty for plain text. */
export type SgrOf = (style: string | undefined) => string;

export interface Run {
  readonly text: string;
  readonly sgr: string;
}

/** A row as it is sent to the terminal, and in pieces, so that a later version of it can be sent in part. */
export interface PaintedLine {
  readonly ansi: string;
  readonly runs: readonly Run[];
  readonly width: number;
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
  return { ansi: toAnsi(runs), runs, width: runs.reduce((sum, run) => sum + displayWidth(run.text), 0) };
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
}

/** Characters every terminal gives the same width: only behind such text may a row be changed in the middle. */
const sure = /^[\x20-\x7e\u00a1-\u02ff\u0370-\u052f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3╭╮╰╯─│┌┐└┘┊●◆]*$/u;

/** What has to be sent to turn one row into the other. */
export function changeOf(before: PaintedLine, after: PaintedLine): RowChange {
  const whole: RowChange = { column: 0, ansi: after.ansi };
  let column = 0;
  for (let index = 0; index < after.runs.length; index += 1) {
    const old = before.runs[index];
    const next = after.runs[index];
    if (next === undefined) break;
    if (old === undefined || old.sgr !== next.sgr) return restFrom(after, { index, from: 0, column });
    if (!sure.test(next.text)) return column === 0 ? whole : restFrom(after, { index, from: 0, column });
    if (old.text === next.text) {
      column += displayWidth(next.text);
      continue;
    }
    const same = commonLength(old.text, next.text);
    return restFrom(after, { index, from: same, column: column + displayWidth(next.text.slice(0, same)) });
  }
  return { column, ansi: "" };
}

function restFrom(line: PaintedLine, at: { index: number; from: number; column: number }): RowChange {
  const first = line.runs[at.index];
  if (first === undefined) return { column: at.column, ansi: "" };
  const runs = [{ ...first, text: first.text.slice(at.from) }, ...line.runs.slice(at.index + 1)];
  return { column: at.column, ansi: toAnsi(runs.filter((run) => run.text !== "")) };
}

function commonLength(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  let index = 0;
  while (index < end && left[index] === right[index]) index += 1;
  return index;
}
