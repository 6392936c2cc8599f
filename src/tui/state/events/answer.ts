import { feedMarkdown, finishMarkdown, startStream } from "../output/markdown-stream.ts";
import { finishSplit, splitDelta, startSplit } from "../output/think-split.ts";
import { print, printAnswer, type ViewState } from "../state.ts";
import type { TranscriptItem } from "../transcript-item.ts";
import { addThought, closeThoughts } from "./thoughts.ts";

/** Text of the model: reasoning tags go to the reasoning box, finished blocks to the scrollback. */
export function addText(state: ViewState, delta: string, nowMs: number): ViewState {
  const step = splitDelta(state.answer.split, delta);
  const split: ViewState = { ...state, answer: { ...state.answer, split: step.split } };
  const thought = step.reasoning === "" ? split : addThought(split, step.reasoning, nowMs);
  return showText(thought, step.text, nowMs);
}

/** The box opens with the first visible character, after the reasoning box has closed. */
function showText(state: ViewState, text: string, nowMs: number): ViewState {
  if (text === "") return state;
  const visible = state.answer.isOpen ? text : text.replace(/^\s+/, "");
  if (visible === "") return state;
  const opened = state.answer.isOpen ? state : openAnswer(state, nowMs);
  const step = feedMarkdown(opened.answer.stream, visible);
  return printAnswer({ ...opened, answer: { ...opened.answer, stream: step.stream } }, step.chunks);
}

function openAnswer(state: ViewState, nowMs: number): ViewState {
  const calm = closeThoughts(state, nowMs);
  const start = { kind: "answer-start", form: calm.hasAnswered ? "next" : "first" } as const;
  return {
    ...calm,
    answer: { ...calm.answer, isOpen: true, wasShown: true, stream: startStream, start },
    hasAnswered: true,
  };
}

/** Before tool lines, prompts and the turn's end. */
export function closeAnswer(state: ViewState, nowMs: number): ViewState {
  const last = finishSplit(state.answer.split);
  const settled: ViewState = { ...state, answer: { ...state.answer, split: startSplit } };
  const shown = showText(settled, last.text, nowMs);
  if (!shown.answer.isOpen) return closeThoughts(shown, nowMs);
  const step = finishMarkdown(shown.answer.stream);
  const whole = printAnswer(shown, step.chunks);
  const ends: readonly TranscriptItem[] = whole.answer.start === undefined ? [{ kind: "answer-end" }] : [];
  const answer = { ...whole.answer, isOpen: false, stream: step.stream, start: undefined, after: [] };
  return showHeldThoughts(print({ ...whole, answer }, ...ends, ...shown.answer.after), nowMs);
}

/** Prints at once, or below the answer that is still being written. */
export function printAfterAnswer(state: ViewState, item: TranscriptItem): ViewState {
  if (!state.answer.isOpen) return print(state, item);
  return { ...state, answer: { ...state.answer, after: [...state.answer.after, item] } };
}

/** Reasoning that came while the answer was open is shown once the answer is complete. */
function showHeldThoughts(state: ViewState, nowMs: number): ViewState {
  const { held } = state.thoughts;
  if (held === "") return state;
  return closeThoughts(addThought({ ...state, thoughts: { ...state.thoughts, held: "" } }, held, nowMs), nowMs);
}

/** A whole answer that was not streamed. */
export function showWhole(state: ViewState, text: string, nowMs: number): ViewState {
  return closeAnswer(addText(state, text, nowMs), nowMs);
}
