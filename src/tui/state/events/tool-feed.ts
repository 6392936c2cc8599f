import { isRecord, parseJson, toJsonText } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";
import type { SessionEvent } from "#session";
import { showHint } from "../hints.ts";
import { taskLines } from "../output/task-lines.ts";
import { toolLine } from "../output/tool-line.ts";
import { print, type RunningTool, type ViewState } from "../state.ts";
import type { TranscriptItem } from "../transcript-item.ts";

export type ToolStart = Extract<SessionEvent, { readonly type: "tool-start" }>;
export type ToolEnd = Extract<SessionEvent, { readonly type: "tool-end" }>;

const longToolMs = 30_000;

export function prepareTool(
  state: ViewState,
  { callId, name }: { callId: string; name: string },
  nowMs: number,
): ViewState {
  if (state.tools.some((tool) => tool.callId === callId)) return state;
  const tool: RunningTool = {
    callId,
    name,
    args: {},
    preview: "",
    startedAtMs: nowMs,
    phase: "preparing",
    update: "",
    tail: [],
  };
  return { ...state, tools: [...state.tools, tool] };
}

export function startTool(state: ViewState, event: ToolStart, nowMs: number): ViewState {
  const others = state.tools.filter((tool) => tool.callId !== event.callId);
  const { callId, name, args, preview } = event;
  const tool: RunningTool = { callId, name, args, preview, startedAtMs: nowMs, phase: "running", update: "", tail: [] };
  return { ...state, tools: [...others, tool] };
}

export function updateTool(state: ViewState, callId: string, text: string): ViewState {
  const isOutput = text.endsWith("\n");
  const lines = text.trimEnd().split("\n");
  const change = isOutput ? { tail: lines.slice(-maxTailLines) } : { update: lines.at(-1) ?? "" };
  return {
    ...state,
    tools: state.tools.map((tool) => (tool.callId === callId ? { ...tool, ...change } : tool)),
  };
}

const maxTailLines = 5;
const maxFinished = 100;

export function endTool(state: ViewState, event: ToolEnd): ViewState {
  const running = state.tools.find((tool) => tool.callId === event.callId);
  const rest: ViewState = { ...state, tools: state.tools.filter((tool) => tool !== running) };
  const shown = showTool(remember(rest, event, running?.args ?? {}), event, running?.args ?? {});
  return event.durationMs >= longToolMs && state.settings.toolProgress === "all" ? showHint(shown, "long-tool") : shown;
}

function remember(state: ViewState, event: ToolEnd, args: unknown): ViewState {
  const result = event.result ?? event.preview;
  const line = toolLine({ ...event, args }, state.settings.toolEmojis);
  const call = { callId: event.callId, line, args: argumentText(args), result: resultText(result) };
  return { ...state, finishedCalls: [call, ...state.finishedCalls].slice(0, maxFinished) };
}

/** A command's output as it was printed; anything else as the model reads it. */
function resultText(result: string): string {
  const parsed = parseJson(result);
  const output = parsed.ok && isRecord(parsed.value) ? parsed.value["output"] : undefined;
  return typeof output === "string" ? output : result;
}

/** Calls the turn left behind without an end: every start gets its line. */
export function abandonTools(state: ViewState, nowMs: number): ViewState {
  let next = state;
  for (const tool of state.tools) {
    if (tool.phase === "preparing") continue;
    next = endTool(next, {
      type: "tool-end",
      callId: tool.callId,
      name: tool.name,
      isError: true,
      durationMs: nowMs - tool.startedAtMs,
      preview: "stopped",
    });
  }
  return foldedLine({ ...next, tools: [] });
}

function showTool(state: ViewState, event: ToolEnd, args: unknown): ViewState {
  const { toolProgress, details } = state.settings;
  const named: ViewState = { ...state, toolFeed: { ...state.toolFeed, lastName: event.name } };
  const isRepeated = toolProgress === "new" && state.toolFeed.lastName === event.name;
  if (toolProgress === "off" || details.tools === "hidden" || isRepeated) return showDiff(named, event);
  if (details.tools === "collapsed" && toolProgress !== "verbose") {
    const folded = [...state.toolFeed.folded, event.name];
    return showDiff({ ...named, toolFeed: { ...named.toolFeed, folded } }, event);
  }
  const line = toolLine({ ...event, args }, state.settings.toolEmojis);
  const isFull = toolProgress === "verbose";
  const full = isFull ? { full: { args: argumentText(args), result: event.result ?? event.preview } } : {};
  const tasks = taskLines(args, event.details);
  const listed: readonly TranscriptItem[] = tasks.length === 0 ? [] : [{ kind: "lines", lines: tasks }];
  return showDiff(print(named, { kind: "tool", line, ...full }, ...listed), event);
}

function showDiff(state: ViewState, event: ToolEnd): ViewState {
  if (event.diff === undefined || event.diff === "" || !state.settings.inlineDiffs) return state;
  return state.settings.toolProgress === "off" ? state : print(state, { kind: "diff", diff: event.diff });
}

/** Collapsed calls become one line when something else is shown. */
export function foldedLine(state: ViewState): ViewState {
  const { folded } = state.toolFeed;
  if (folded.length === 0) return state;
  const cleared: ViewState = { ...state, toolFeed: { ...state.toolFeed, folded: [] } };
  return print(cleared, { kind: "tool-summary", names: folded });
}

/** One argument after the other; a text of several lines as it is, below its name. */
function argumentText(args: unknown): string {
  if (!isRecord(args)) return truncateEnd(toJsonText(args, { indent: 2 }), 20_000);
  const shown = Object.entries(args).map(([name, value]) => {
    const text = typeof value === "string" ? value : toJsonText(value, { indent: 2 });
    return text.includes("\n") ? `${name}:\n${text.replace(/^/gm, "  ")}` : `${name}: ${text}`;
  });
  return truncateEnd(shown.join("\n"), 20_000);
}
