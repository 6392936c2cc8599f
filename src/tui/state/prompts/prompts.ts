import type { ApprovalAnswer } from "#conversation";
import { effect, notice, type RunningTool, type ViewState } from "../state.ts";
import { longCommand, type Prompt, remainingMs } from "./prompt.ts";

/** A person who types makes no longer pause than this; only what comes after a pause may answer a prompt. */
export const quietMs = 700;

export function isQuiet({ lastKeyAtMs }: ViewState, nowMs: number): boolean {
  return lastKeyAtMs === undefined || nowMs - lastKeyAtMs >= quietMs;
}

/** A new request goes to the end of the line; the same one twice is one. */
export function ask(state: ViewState, prompt: Prompt, nowMs: number): ViewState {
  if (state.prompts.some((one) => one.id === prompt.id)) return state;
  return front({ ...state, prompts: [...state.prompts, prompt] }, nowMs);
}

/** It was answered, here or elsewhere. The wait was not work: the clocks of the calls go on where they stood. */
export function dropPrompt(state: ViewState, id: string, nowMs: number): ViewState {
  const gone = state.prompts.find((prompt) => prompt.id === id);
  const waitedMs = gone?.shownAtMs === undefined ? 0 : nowMs - gone.shownAtMs;
  const tools = waitedMs === 0 ? state.tools : state.tools.map((tool) => later(tool, waitedMs));
  return front({ ...state, tools, prompts: state.prompts.filter((prompt) => prompt !== gone) }, nowMs);
}

function later(tool: RunningTool, byMs: number): RunningTool {
  return { ...tool, startedAtMs: tool.startedAtMs + byMs };
}

/** The time of a prompt runs only while a person can see it. */
function front(state: ViewState, nowMs: number): ViewState {
  const [first, ...rest] = state.prompts;
  if (first === undefined || first.shownAtMs !== undefined) return state;
  return focus({ ...state, prompts: [{ ...first, shownAtMs: nowMs }, ...rest] }, nowMs);
}

/** A text field gets the keys once nobody is in the middle of typing something else. */
export function focus(state: ViewState, nowMs: number): ViewState {
  const [first, ...rest] = state.prompts;
  if (first === undefined || first.kind === "approval" || first.hasFocus) return state;
  if (state.isMidText && !isQuiet(state, nowMs)) return state;
  if (first.kind === "question" && !first.isFreeText) return state;
  return { ...state, prompts: [{ ...first, hasFocus: true }, ...rest] };
}

export function changePrompt(state: ViewState, prompt: Prompt): ViewState {
  return { ...state, prompts: state.prompts.map((one) => (one.id === prompt.id ? prompt : one)) };
}

export function approve(state: ViewState, input: { prompt: Prompt; answer: ApprovalAnswer }, nowMs: number): ViewState {
  const { id } = input.prompt;
  return effect(dropPrompt(state, id, nowMs), { do: "approve", id, answer: input.answer });
}

export function answer(
  state: ViewState,
  input: { prompt: Prompt; text: string | undefined },
  nowMs: number,
): ViewState {
  const { id } = input.prompt;
  return effect(dropPrompt(state, id, nowMs), { do: "answer", id, text: input.text });
}

/** Esc or Ctrl-C: no permission, no answer. */
export function refuse(state: ViewState, prompt: Prompt, nowMs: number): ViewState {
  switch (prompt.kind) {
    case "approval":
      return approve(state, { prompt, answer: "deny" }, nowMs);
    case "question":
      return answer(state, { prompt, text: undefined }, nowMs);
    case "sudo":
    case "secret":
      return answer(state, { prompt, text: "" }, nowMs);
  }
}

/** Nobody answered in time: a command is denied, a question is left to the agent, a password is skipped. */
export function expire(state: ViewState, nowMs: number): ViewState {
  const prompt = state.prompts[0];
  if (prompt === undefined || remainingMs(prompt, nowMs) > 0) return state;
  return notice(refuse(state, prompt, nowMs), "warn", expiryText(prompt));
}

function expiryText(prompt: Prompt): string {
  switch (prompt.kind) {
    case "approval":
      return `No answer in ${prompt.timeoutMs / 1_000} s: denied ${prompt.summary.slice(0, longCommand)}`;
    case "question":
      return `No answer in ${prompt.timeoutMs / 1_000} s: Hermes decides.`;
    case "sudo":
      return `No password in ${prompt.timeoutMs / 1_000} s: the command continues without it.`;
    case "secret":
      return `Nothing was entered in ${prompt.timeoutMs / 1_000} s.`;
  }
}
