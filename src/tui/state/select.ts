import { stopwatch } from "#foundation/text/figures";
import { cutText, type Line } from "../text/styled.ts";
import { displayWidth } from "../text/width.ts";
import type { Skin } from "../theme/skin.ts";
import { toolLine } from "./output/tool-line.ts";
import { promptBuffer } from "./prompts/prompt.ts";
import type { ViewState } from "./state.ts";

/** Faces change at this pace. */
export const spinnerFrameMs = 250;
const facesPerVerb = 12;

/** The row that shows that something is going on; undefined when nothing is. */
export function spinnerText(
  state: ViewState,
  { skin, columns }: { readonly skin: Skin; readonly columns: number },
  nowMs: number,
): string | undefined {
  if (state.phase === "starting") return "starting agent…";
  if (state.busyCommand !== undefined) return `${at(skin.spinner.waitingFaces, frameOf(nowMs))} ${state.busyCommand}`;
  if (state.turn === undefined || state.tools.length > 0 || state.prompts.length > 0) return undefined;
  if (state.answer.isOpen || (state.thoughts.isOpen && state.settings.showReasoning)) return undefined;
  const stuck = stuckWords(state, nowMs);
  // What changes from second to second stands at the end, and is what must not be cut.
  if (stuck !== undefined) return cutText(stuck.what, Math.max(12, columns - displayWidth(stuck.till))) + stuck.till;
  const frame = frameOf(nowMs - state.turn.startedAtMs);
  const { thinkingFaces, waitingFaces, thinkingVerbs, wings } = skin.spinner;
  const face = at(state.thoughts.isOpen ? thinkingFaces : [...thinkingFaces, ...waitingFaces], frame);
  const [left, right] = wings[frame % Math.max(1, wings.length)] ?? ["", ""];
  const verb = state.turn.isInterrupted ? "stopping" : at(thinkingVerbs, Math.floor(frame / facesPerVerb));
  const time = stopwatch(nowMs - state.turn.startedAtMs);
  return `${left}${left === "" ? "" : " "}${face}${right === "" ? "" : " "}${right} ${verb}… (${time})`;
}

const silentMs = 60_000;

interface StuckWords {
  readonly what: string;
  readonly till: string;
}

/** Waiting does not look like thinking: why, which attempt, and how long still. */
export function stuckWords({ turn, usage }: ViewState, nowMs: number): StuckWords | undefined {
  if (turn === undefined || turn.isInterrupted) return undefined;
  if (turn.waiting !== undefined) {
    const { reason, attempt, untilMs } = turn.waiting;
    const seconds = Math.max(0, Math.ceil((untilMs - nowMs) / 1_000));
    return { what: `⏳ ${reason}`, till: ` · ${attempt} in ${seconds} s · Esc stops` };
  }
  const silence = nowMs - turn.lastEventAtMs;
  return silence < silentMs
    ? undefined
    : { what: `⏳ ${usage.model ?? "the model"}`, till: ` has been silent for ${stopwatch(silence)} · Esc stops` };
}

function frameOf(ms: number): number {
  return Math.max(0, Math.floor(ms / spinnerFrameMs));
}

function at(list: readonly string[], index: number): string {
  return list[index % Math.max(1, list.length)] ?? "";
}

const maxRunningRows = 4;

/** One row for each running call. */
export function runningRows(state: ViewState, columns: number, nowMs: number): Line[] {
  if (state.settings.toolProgress === "off" || state.settings.details.tools === "hidden") {
    return state.tools.length === 0 ? [] : [[{ text: `  working… (${runningTime(state, nowMs)})`, style: "tool" }]];
  }
  const rows = state.tools.slice(0, maxRunningRows).flatMap((tool): Line[] => {
    const line = toolLine({ ...tool, durationMs: 0, isError: false }, state.settings.toolEmojis);
    if (tool.phase === "preparing") return [[{ text: `  ┊ ${line.emoji} preparing ${tool.name}…`, style: "tool" }]];
    const isAsking = state.prompts[0]?.shownAtMs !== undefined;
    const time = isAsking ? "  (waiting for you)" : `  (${stopwatch(nowMs - tool.startedAtMs)})`;
    const what = line.detail || tool.update || tool.preview || tool.name;
    const room = columns - displayWidth(time) - displayWidth(line.emoji) - 3;
    const head: Line = [{ text: `  ${line.emoji} ${cutText(what, Math.max(8, room))}${time}`, style: "tool" }];
    const tail = tool.tail.map((row): Line => [{ text: cutText(`     │ ${row}`, columns), style: "dim" }]);
    return [head, ...tail];
  });
  const more = state.tools.length - maxRunningRows;
  return more > 0 ? [...rows, [{ text: `  … ${more} more`, style: "tool" }]] : rows;
}

function runningTime(state: ViewState, nowMs: number): string {
  return stopwatch(nowMs - Math.min(...state.tools.map((tool) => tool.startedAtMs)));
}

const busyPlaceholder = {
  interrupt: "type to interrupt · /queue to wait · Esc to stop",
  queue: "type to queue a message · Esc to stop",
  steer: "type to steer · /queue to wait · Esc to stop",
} as const;

/** What an empty input says: which keys help now. */
const planPlaceholder = "say what to change · /plan accept to carry it out · /plan off";

export function placeholder(state: ViewState): string {
  const prompt = state.prompts[0];
  if (state.voice?.mode === "recording") return "recording… press the key again to stop, Ctrl-C to cancel";
  if (state.voice?.mode === "transcribing") return "transcribing…";
  if (prompt?.kind === "sudo") return "password (hidden) · Enter to skip";
  if (prompt?.kind === "secret") return `value for ${prompt.variable ?? "this secret"} (hidden) · Enter to skip`;
  if (prompt?.kind === "question") {
    return prompt.isFreeText ? "your answer · Esc lets Hermes decide" : "";
  }
  if (prompt?.kind === "approval") return prompt.reason === undefined ? "" : "why not, or what to do instead";
  if (state.busyCommand !== undefined) return state.isShellRunning ? "Esc stops the command" : "please wait…";
  if (state.turn !== undefined) {
    if (state.turn.isInterrupted) return "stopping… Ctrl-C again quits";
    if (state.lastEmptyEnterAtMs !== undefined) return "Enter again stops this turn and sends the next message";
    return busyPlaceholder[state.settings.busyInputMode];
  }
  if (state.leaveAskedAtMs !== undefined) return "press Ctrl-C again to quit";
  return state.session?.isPlanning === true ? planPlaceholder : "";
}

/** Whether the text on the screen must not be readable. */
export function isMasked(state: ViewState): boolean {
  const prompt = state.prompts[0];
  return (prompt?.kind === "sudo" || prompt?.kind === "secret") && promptBuffer(prompt) !== undefined;
}

/** Whether anything on the screen moves by itself. */
export function isAnimated(state: ViewState): boolean {
  return (
    state.phase === "starting" ||
    state.turn !== undefined ||
    state.busyCommand !== undefined ||
    state.prompts.length > 0 ||
    state.leaveAskedAtMs !== undefined ||
    state.voice?.mode === "recording"
  );
}
