import { graphemes } from "#foundation/text/text";
import type { TextBuffer } from "./buffer.ts";
import { lineOf, type Motion, motionFrom } from "./vim-motions.ts";

/** Where a person is who edits as in vi. */
export interface VimState {
  readonly isNormal: boolean;
  /** Keys of a command that is not complete: `2d`, `r`. */
  readonly pending: string;
}

export const vimStart: VimState = { isNormal: false, pending: "" };

export interface VimStep {
  readonly buffer: TextBuffer;
  /** What was deleted or copied last. Whole lines end with a line break. */
  readonly register: string;
  readonly vim: VimState;
  /** Something the editor does by itself. */
  readonly outside?: "undo" | "previous" | "next";
}

const moving = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?(gg|[hjkl0^$wbeG]|iw)$/;
const wholeLines = /^([1-9]\d*)?([dcy])([1-9]\d*)?(\2)$/;
const acting = /^([1-9]\d*)?([xXDCYsSpPuiaIAoO~])$/;
const replacing = /^([1-9]\d*)?r(.)$/su;
const unfinished = /^(?:[1-9]\d*)?(?:[dcy](?:[1-9]\d*)?i?)?g?$|^(?:[1-9]\d*)?r$/;

/** A key in normal mode: part of a command, or the end of one. What is no command is forgotten. */
export function vimKey(before: VimStep, key: string): VimStep {
  const typed = before.vim.pending + key;
  const step: VimStep = { ...before, vim: { isNormal: true, pending: "" } };
  const replaced = replacing.exec(typed);
  if (replaced !== null) return resting(replace(step, countOf(replaced[1]), replaced[2] ?? ""));
  const acted = acting.exec(typed);
  if (acted !== null) return resting(act(step, acted[2] ?? "", countOf(acted[1])));
  const moved = moving.exec(typed) ?? wholeLines.exec(typed);
  if (moved !== null) {
    const [, count, operator, more, motion = ""] = moved;
    return resting(move(step, { operator, motion, count: countOf(count) * countOf(more) }));
  }
  return unfinished.test(typed) ? { ...step, vim: { isNormal: true, pending: typed } } : step;
}

/** Esc while typing: the cursor steps back onto the last character. */
export function toNormal(buffer: TextBuffer): { readonly buffer: TextBuffer; readonly vim: VimState } {
  const { from, at, cells } = placed(buffer);
  const rested = bufferAt(cells, Math.max(from, at - 1));
  return { buffer: rested, vim: { isNormal: true, pending: "" } };
}

const mostRepeats = 1_000;

function countOf(digits: string | undefined): number {
  return digits === undefined ? 1 : Math.min(mostRepeats, Number(digits));
}

interface Placed {
  readonly cells: readonly string[];
  readonly at: number;
  /** The line the cursor is in: its first cell, and the one behind its last. */
  readonly from: number;
  readonly until: number;
}

function placed({ text, cursor }: TextBuffer): Placed {
  const cells = graphemes(text);
  const at = graphemes(text.slice(0, cursor)).length;
  return { cells, at, ...lineOf(cells, at) };
}

function bufferAt(cells: readonly string[], at: number): TextBuffer {
  return { text: cells.join(""), cursor: cells.slice(0, at).join("").length };
}

/** In normal mode the cursor stands on a character, not behind the last one of a line. */
function resting(step: VimStep): VimStep {
  if (!step.vim.isNormal) return step;
  const { cells, at, from, until } = placed(step.buffer);
  return at === until && at > from ? { ...step, buffer: bufferAt(cells, at - 1) } : step;
}

function insertAt(step: VimStep, cells: readonly string[], at: number): VimStep {
  return { ...step, buffer: bufferAt(cells, at), vim: vimStart };
}

function act(step: VimStep, key: string, count: number): VimStep {
  const { cells, at, from, until } = placed(step.buffer);
  switch (key) {
    case "x":
    case "s":
      return cut(step, { from: at, until: Math.min(until, at + count), isChange: key === "s" });
    case "X":
      return cut(step, { from: Math.max(from, at - count), until: at });
    case "D":
    case "C":
      return cut(step, { from: at, until, isChange: key === "C" });
    case "S":
      return cut(step, { from, until, isChange: true });
    case "Y":
      return move(step, { operator: "y", motion: "y", count });
    case "p":
    case "P":
      return put(step, key === "P", count);
    case "u":
      return { ...step, outside: "undo" };
    case "i":
      return insertAt(step, cells, at);
    case "a":
      return insertAt(step, cells, Math.min(until, at + 1));
    case "I":
      return insertAt(step, cells, motionFrom({ cells, at }, "^", 1)?.at ?? from);
    case "A":
      return insertAt(step, cells, until);
    case "o":
      return insertAt(step, [...cells.slice(0, until), "\n", ...cells.slice(until)], until + 1);
    case "O":
      return insertAt(step, [...cells.slice(0, from), "\n", ...cells.slice(from)], from);
    case "~": {
      const end = Math.min(until, at + count);
      const turned = cells
        .slice(at, end)
        .map((cell) => (cell === cell.toLowerCase() ? cell.toUpperCase() : cell.toLowerCase()));
      return { ...step, buffer: bufferAt([...cells.slice(0, at), ...turned, ...cells.slice(end)], end) };
    }
    default:
      return step;
  }
}

function replace(step: VimStep, count: number, character: string): VimStep {
  const { cells, at, until } = placed(step.buffer);
  if (at + count > until) return step;
  const filled = [...cells.slice(0, at), ...Array<string>(count).fill(character), ...cells.slice(at + count)];
  return { ...step, buffer: bufferAt(filled, at + count - 1) };
}

interface Command {
  readonly operator: string | undefined;
  readonly motion: string;
  readonly count: number;
}

function move(step: VimStep, { operator, motion, count }: Command): VimStep {
  const where = placed(step.buffer);
  const { cells, at } = where;
  if (operator === undefined) {
    if (motion === "j" || motion === "k") return { ...step, outside: motion === "k" ? "previous" : "next" };
    const to = motionFrom(where, motion, count);
    return to === undefined ? step : { ...step, buffer: bufferAt(cells, to.at) };
  }
  const isLines = motion === operator || /^(?:j|k|gg|G)$/.test(motion);
  if (isLines) return onLines(step, { operator, motion, count });
  // vi's own exception: `cw` on a word leaves the blanks behind it.
  const meant = operator === "c" && motion === "w" && /\S/.test(cells[at] ?? "") ? "e" : motion;
  const to = motionFrom(where, meant, count);
  if (to === undefined) return step;
  const range = rangeOf(at, to);
  return operator === "y" ? copy(step, range) : cut(step, { ...range, isChange: operator === "c" });
}

function rangeOf(at: number, to: Motion): { readonly from: number; readonly until: number } {
  if (to.from !== undefined) return { from: to.from, until: to.at };
  return { from: Math.min(at, to.at), until: Math.max(at, to.at + (to.isInclusive === true ? 1 : 0)) };
}

function onLines(step: VimStep, { operator, motion, count }: Command): VimStep {
  const { cells, at, from, until } = placed(step.buffer);
  const steps = motion === operator ? count - 1 : count;
  let [first, last] = [from, until];
  if (motion === "gg") first = 0;
  else if (motion === "G") last = cells.length;
  else if (motion === "k")
    for (let left = steps; left > 0 && first > 0; left -= 1) first = lineOf(cells, first - 1).from;
  else for (let left = steps; left > 0 && last < cells.length; left -= 1) last = lineOf(cells, last + 1).until;
  const register = `${cells.slice(first, last).join("")}\n`;
  if (operator === "y") return { ...step, register, buffer: bufferAt(cells, motion === operator ? at : first) };
  if (operator === "c") {
    return { ...insertAt(step, [...cells.slice(0, first), ...cells.slice(last)], first), register };
  }
  // The line break goes with the lines: the one behind them, or before the last.
  const left = [...cells.slice(0, last < cells.length ? first : Math.max(0, first - 1)), ...cells.slice(last + 1)];
  return { ...step, register, buffer: bufferAt(left, lineOf(left, Math.min(first, left.length)).from) };
}

function copy(step: VimStep, { from, until }: { readonly from: number; readonly until: number }): VimStep {
  const { cells } = placed(step.buffer);
  return { ...step, register: cells.slice(from, until).join(""), buffer: bufferAt(cells, from) };
}

function cut(
  step: VimStep,
  { from, until, isChange = false }: { readonly from: number; readonly until: number; readonly isChange?: boolean },
): VimStep {
  const { cells } = placed(step.buffer);
  const register = from === until ? step.register : cells.slice(from, until).join("");
  const left = [...cells.slice(0, from), ...cells.slice(until)];
  return isChange ? { ...insertAt(step, left, from), register } : { ...step, register, buffer: bufferAt(left, from) };
}

function put(step: VimStep, isBefore: boolean, count: number): VimStep {
  const { cells, at, from, until } = placed(step.buffer);
  const text = step.register.repeat(count);
  if (text === "") return step;
  const isLines = step.register.endsWith("\n");
  const spot = isLines ? (isBefore ? from : until) : isBefore ? at : Math.min(until, at + 1);
  const added = graphemes(isLines && !isBefore ? `\n${text.slice(0, -1)}` : text);
  const filled = [...cells.slice(0, spot), ...added, ...cells.slice(spot)];
  const rest = isLines ? spot + (isBefore ? 0 : 1) : spot + added.length - 1;
  return { ...step, buffer: bufferAt(filled, rest) };
}
