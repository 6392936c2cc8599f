import { reasoningTagNames } from "#conversation";

/**
 * Sends what a model writes between reasoning tags to the reasoning box, while it streams. A tag counts only at the
 * start of a line and outside of code; the same word in mid-sentence is prose. Text is held back only while it could
 * still become a tag.
 */
export interface ThinkSplit {
  readonly mode: "text" | "thinking";
  /** Undecided end of the input. */
  readonly held: string;
  /** Whether the next character begins a line (only spaces so far). */
  readonly isLineStart: boolean;
  readonly isInFence: boolean;
  /** The row so far, to see fences. */
  readonly row: string;
  /** The open tag and what followed it, to be shown as text when it is never closed. */
  readonly opened: string;
  /** Line breaks after a closing tag belong to the tag. */
  readonly isAfterTag: boolean;
}

export const startSplit: ThinkSplit = {
  mode: "text",
  held: "",
  isLineStart: true,
  isInFence: false,
  row: "",
  opened: "",
  isAfterTag: false,
};

export interface SplitStep {
  readonly split: ThinkSplit;
  readonly text: string;
  readonly reasoning: string;
}

const opening = new RegExp(`^<(${reasoningTagNames.join("|")})>`, "i");
const openings = reasoningTagNames.map((name) => `<${name}>`);
const closings = reasoningTagNames.map((name) => `</${name}>`);

export function splitDelta(split: ThinkSplit, delta: string): SplitStep {
  let state: ThinkSplit = { ...split, held: "" };
  let rest = split.held + delta;
  let text = "";
  let reasoning = "";
  while (rest !== "") {
    const step = state.mode === "text" ? readText(state, rest) : readThought(state, rest);
    text += step.text;
    reasoning += step.reasoning;
    state = step.split;
    if (step.rest === rest) return { split: { ...state, held: rest }, text, reasoning };
    rest = step.rest;
  }
  return { split: state, text, reasoning };
}

/** The end of the reply: what was held back is text after all, and so is a block that was never closed. */
export function finishSplit(split: ThinkSplit): SplitStep {
  return { split: startSplit, text: split.mode === "thinking" ? split.opened + split.held : split.held, reasoning: "" };
}

interface Read extends SplitStep {
  readonly rest: string;
}

function readText(state: ThinkSplit, rest: string): Read {
  if (state.isAfterTag) {
    const trimmed = rest.replace(/^\s+/, "");
    const split = { ...state, isAfterTag: trimmed === "", isLineStart: true, row: "" };
    return { split, text: "", reasoning: "", rest: trimmed };
  }
  if (state.isLineStart && !state.isInFence && rest.startsWith("<")) {
    const tag = opening.exec(rest)?.[0];
    if (tag !== undefined) {
      const split: ThinkSplit = { ...state, mode: "thinking", opened: tag };
      return { split, text: "", reasoning: "", rest: rest.slice(tag.length) };
    }
    const lower = rest.toLowerCase();
    if (openings.some((one) => one.startsWith(lower))) return { split: state, text: "", reasoning: "", rest };
  }
  const character = rest[0] ?? "";
  const end = character === "<" ? 1 : nextStop(rest);
  return {
    split: afterText(state, rest.slice(0, end)),
    text: rest.slice(0, end),
    reasoning: "",
    rest: rest.slice(end),
  };
}

/** Up to and including the next line break, or up to a `<` behind which a line might begin. */
function nextStop(rest: string): number {
  const lineBreak = rest.indexOf("\n");
  const bracket = rest.indexOf("<");
  if (lineBreak >= 0 && (bracket < 0 || lineBreak < bracket)) return lineBreak + 1;
  return bracket > 0 ? bracket : rest.length;
}

function afterText(state: ThinkSplit, text: string): ThinkSplit {
  const row = state.row + text;
  if (!row.endsWith("\n")) return { ...state, row, isLineStart: row.trim() === "" };
  const isFence = /^ {0,3}(```|~~~)/.test(row);
  return { ...state, row: "", isLineStart: true, isInFence: isFence ? !state.isInFence : state.isInFence };
}

function readThought(state: ThinkSplit, rest: string): Read {
  const bracket = rest.indexOf("<");
  if (bracket < 0) return thought(state, rest, "");
  if (bracket > 0) return thought(state, rest.slice(0, bracket), rest.slice(bracket));
  const lower = rest.toLowerCase();
  const closing = closings.find((one) => lower.startsWith(one));
  if (closing !== undefined) {
    const split: ThinkSplit = { ...state, mode: "text", opened: "", isAfterTag: true, isLineStart: true, row: "" };
    return { split, text: "", reasoning: "", rest: rest.slice(closing.length) };
  }
  if (closings.some((one) => one.startsWith(lower))) return { split: state, text: "", reasoning: "", rest };
  return thought(state, "<", rest.slice(1));
}

const maxOpened = 200_000;

function thought(state: ThinkSplit, reasoning: string, rest: string): Read {
  const opened = state.opened.length > maxOpened ? state.opened : state.opened + reasoning;
  return { split: { ...state, opened }, text: "", reasoning, rest };
}
