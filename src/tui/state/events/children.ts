import type { AgentEvent } from "#conversation";
import { stopwatch } from "#foundation/text/figures";
import type { SessionEvent } from "#session";
import { toolLine } from "../output/tool-line.ts";
import { type ChildState, print, type ViewState } from "../state.ts";

export type ChildNews = Extract<SessionEvent, { readonly type: "child-event" }>;

/** What child agents do: hidden, only where they stand (collapsed), or every call (expanded). */
export function showChild(state: ViewState, news: ChildNews): ViewState {
  const { childId, task, event } = news;
  const others = state.children.filter((child) => child.id !== childId);
  const known: ChildState = state.children.find((child) => child.id === childId) ?? {
    id: childId,
    task,
    tool: undefined,
  };
  switch (event.type) {
    case "turn-start":
      return { ...state, children: [...others, known] };
    case "tool-start":
      return { ...state, children: [...others, { ...known, tool: event.name }] };
    case "tool-end":
      return childTool({ ...state, children: [...others, { ...known, tool: undefined }] }, task, event);
    case "turn-end":
      return childEnd({ ...state, children: others }, news, event);
    default:
      return state;
  }
}

function childTool(state: ViewState, task: string, event: Extract<AgentEvent, { type: "tool-end" }>): ViewState {
  if (state.settings.details.subagents !== "expanded" || state.settings.toolProgress === "off") return state;
  const facts = { ...event, args: {}, result: event.preview };
  return print(state, { kind: "tool", line: toolLine(facts, state.settings.toolEmojis), from: task });
}

function childEnd(state: ViewState, news: ChildNews, event: Extract<AgentEvent, { type: "turn-end" }>): ViewState {
  if (state.settings.details.subagents === "hidden") return state;
  return print(state, { kind: "activity", text: `🔀 ${news.task}: ${outcomeOf(news, event)}` });
}

function outcomeOf({ milestone }: ChildNews, event: Extract<AgentEvent, { type: "turn-end" }>): string {
  if (milestone?.kind === "complete") {
    const calls = `${milestone.apiCalls} call${milestone.apiCalls === 1 ? "" : "s"}`;
    return `${milestone.status} in ${stopwatch(milestone.durationMs)}, ${calls}`;
  }
  return event.error === undefined ? "done" : `failed: ${event.error}`;
}
