import type { Cost } from "#conversation";
import { plural, shortCount, shortDuration, shortWindow } from "#foundation/text/figures";
import { cutLine, cutText, type Line, padLine, type Span } from "../text/styled.ts";
import { displayWidth } from "../text/width.ts";
import type { ViewState } from "./state.ts";

const fullColumns = 76;
const middleColumns = 52;
const modelColumns = 26;
const barCells = 10;

/** The one row that says where the session stands: model, context, time, and whatever is unusual. */
export function statusBar(state: ViewState, columns: number, nowMs: number): Line {
  const spans =
    columns >= fullColumns ? full(state, nowMs) : columns >= middleColumns ? middle(state, nowMs) : small(state, nowMs);
  return padLine(cutLine(spans, columns), columns, "status-bar");
}

function full(state: ViewState, nowMs: number): Span[] {
  const { contextTokens, contextWindow, isEstimated } = state.usage;
  const percent = contextPercent(state);
  const style = contextStyle(percent);
  const filled = Math.min(barCells, Math.round((percent / 100) * barCells));
  const spans = [
    dim(" ⚕ "),
    model(state),
    ...mode(state, divider),
    divider,
    bar(`${isEstimated ? "~" : ""}${shortCount(contextTokens)}/${shortWindow(contextWindow)}`),
    divider,
    { text: `[${"█".repeat(filled)}${"░".repeat(barCells - filled)}] ${percent}%`, style },
    divider,
    bar(sessionTime(state, nowMs)),
  ];
  for (const extra of [timer(state, nowMs), cost(state), ...extras(state)]) {
    if (extra !== undefined) spans.push(divider, extra);
  }
  return [...spans, bar(" ")];
}

function middle(state: ViewState, nowMs: number): Span[] {
  const percent = contextPercent(state);
  const spans = [
    dim(" ⚕ "),
    model(state),
    ...mode(state, dot),
    dot,
    { text: `${percent}%`, style: contextStyle(percent) },
    dot,
    bar(sessionTime(state, nowMs)),
  ];
  for (const extra of [cost(state), ...extras(state)]) if (extra !== undefined) spans.push(dot, extra);
  return spans;
}

function small(state: ViewState, nowMs: number): Span[] {
  return [bar(" "), model(state), ...mode(state, dot), dot, bar(sessionTime(state, nowMs))];
}

/** What makes every call of a tool different is never cut off. */
function mode({ session }: ViewState, before: Span): Span[] {
  if (session?.isPlanning === true) return [before, { text: "PLAN", style: "status-warn" }];
  return session?.isYolo === true ? [before, { text: "YOLO", style: "status-critical" }] : [];
}

const divider: Span = { text: " │ ", style: "status-dim" };
const dot: Span = { text: " · ", style: "status-dim" };

function bar(text: string): Span {
  return { text, style: "status-bar" };
}

function dim(text: string): Span {
  return { text, style: "status-dim" };
}

/** The model that really answers, also when it is not the chosen one. */
function model(state: ViewState): Span {
  const name = state.usage.model ?? state.session?.model ?? "starting agent…";
  const short = name.split("/").at(-1) ?? name;
  return { text: displayWidth(short) > modelColumns ? cutText(short, modelColumns) : short, style: "status-model" };
}

function timer(state: ViewState, nowMs: number): Span | undefined {
  if (state.turn !== undefined) return bar(`⏱ ${shortDuration(nowMs - state.turn.startedAtMs)}`);
  return state.lastTurnMs === undefined ? undefined : dim(`⏲ ${shortDuration(state.lastTurnMs)}`);
}

function cost(state: ViewState): Span | undefined {
  if (!state.settings.showCost) return undefined;
  const text = costText(state.usage.cost);
  return text === undefined ? undefined : bar(text);
}

/** What Hermes reckoned from prices is marked; an unknown price is said, never counted as nothing. */
export function costText(cost: Cost | undefined): string | undefined {
  if (cost === undefined) return undefined;
  if (cost.status === "included" && !((cost.usd ?? 0) > 0)) return "included";
  if (cost.usd === undefined) return "$?";
  const mark = cost.status === "unknown" ? "≥" : cost.status === "estimated" ? "~" : "";
  return `${mark}$${cost.usd.toFixed(2)}`;
}

function extras(state: ViewState): readonly (Span | undefined)[] {
  const warn = (text: string, isShown: boolean): Span | undefined =>
    isShown ? { text, style: "status-warn" } : undefined;
  return [
    warn("fallback", state.usage.isFallback),
    warn("small window", state.session?.isWindowSmall === true),
    warn(`${state.queue.length} queued`, state.queue.length > 0),
    warn(plural(state.children.length, "agent"), state.children.length > 0),
    warn(`${state.backgroundTasks} in background`, state.backgroundTasks > 0),
    warn(`⚙ ${state.processes.length}`, state.processes.length > 0),
    state.branch === undefined ? undefined : dim(`⎇ ${state.branch}`),
    warn("config changed", state.isConfigChanged),
  ];
}

function contextPercent({ usage }: ViewState): number {
  return usage.contextWindow <= 0 ? 0 : Math.min(999, Math.round((usage.contextTokens / usage.contextWindow) * 100));
}

export function contextStyle(percent: number): string {
  if (percent >= 95) return "status-critical";
  if (percent > 80) return "status-bad";
  return percent >= 50 ? "status-warn" : "status-good";
}

function sessionTime(state: ViewState, nowMs: number): string {
  return shortDuration(state.session === undefined ? 0 : nowMs - state.session.startedAtMs);
}
