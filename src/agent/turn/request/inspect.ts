import { type AssistantMessage, canonicalArguments, readArguments, type ToolCall } from "#conversation";
import type { Collected } from "#model";
import { repairToolName } from "#tools";
import type { Defect } from "../problem.ts";
import { endsNaturally, soundsLikePlanning } from "./inspect-text.ts";

export interface InspectFacts {
  readonly toolNames: ReadonlySet<string>;
  /** The names a call must give, per tool. */
  requiredOf(tool: string): readonly string[];
  /** Models behind Ollama that report a normal end for an answer that was cut. */
  readonly mayHideTruncation: boolean;
  /** The user's words, where announcements instead of work are looked for; undefined where not. */
  readonly planningContext?: string;
  readonly hasUsedTools: boolean;
}

export type Inspection = { readonly reply: AssistantMessage } | { readonly defect: Defect };

/** Whether a reply can be used, with the slips of the pen mended that leave one possible meaning. */
export function inspect(collected: Collected, facts: InspectFacts): Inspection {
  const { message, finish } = collected;
  const calls = message.tool_calls ?? [];
  if (finish === "length") return { defect: truncation(collected) };
  if (finish === "incomplete") return { defect: "responses-incomplete" };
  if (collected.isReasoningOpen && calls.length === 0) return { defect: "incomplete-reasoning" };
  if (calls.length > 0) return inspectCalls(message, calls, facts);
  return inspectText(message, facts);
}

function truncation({ message, lostCalls }: Collected): Defect {
  if ((message.tool_calls?.length ?? 0) > 0 || lostCalls.length > 0) return "truncated-call";
  if (message.content.trim() !== "") return "truncated-text";
  return hasReasoning(message) ? "thinking-exhausted" : "empty";
}

function inspectText(message: AssistantMessage, facts: InspectFacts): Inspection {
  const text = message.content;
  if (text.trim() === "") return { defect: "empty" };
  if (facts.mayHideTruncation && facts.hasUsedTools && !endsNaturally(text)) return { defect: "truncated-text" };
  if (facts.planningContext !== undefined && !facts.hasUsedTools && soundsLikePlanning(text, facts.planningContext))
    return { defect: "planning-only" };
  return { reply: message };
}

function inspectCalls(message: AssistantMessage, calls: readonly ToolCall[], facts: InspectFacts): Inspection {
  const named = calls.map((call) => withName(call, facts.toolNames));
  let isUnreadable = false;
  const readable = named.map((call) => {
    const read = readArguments(call.function.arguments);
    if (read.kind === "truncated") return "truncated" as const;
    if (read.kind === "invalid" || (read.wasMended && !hasRequired(read.value, facts.requiredOf(call.function.name)))) {
      isUnreadable = true;
      return call;
    }
    return read.wasMended ? withArguments(call, JSON.stringify(read.value)) : call;
  });
  if (readable.includes("truncated")) return { defect: "truncated-call" };
  if (named.some((call) => !facts.toolNames.has(call.function.name))) return { defect: "unknown-tool" };
  if (isUnreadable) return { defect: "unreadable-arguments" };
  const sound = readable.filter((call) => call !== "truncated");
  return { reply: { ...message, tool_calls: withoutRepeats(sound) } };
}

/** Mending is a guess when it leaves out what the tool cannot do without. */
function hasRequired(value: Readonly<Record<string, unknown>>, required: readonly string[]): boolean {
  return required.every((name) => value[name] !== undefined);
}

function withName(call: ToolCall, known: ReadonlySet<string>): ToolCall {
  const name = repairToolName(call.function.name, known);
  return name === undefined || name === call.function.name ? call : { ...call, function: { ...call.function, name } };
}

function withArguments(call: ToolCall, text: string): ToolCall {
  return { ...call, function: { ...call.function, arguments: text } };
}

/** The same call twice in one reply is one call. */
function withoutRepeats(calls: readonly ToolCall[]): readonly ToolCall[] {
  const seen = new Set<string>();
  return calls.filter((call) => {
    const key = `${call.function.name}:${canonicalArguments(call.function.arguments)}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

export function hasReasoning(message: AssistantMessage): boolean {
  return (
    (message.reasoning ?? "") !== "" ||
    (message.reasoning_content ?? "") !== "" ||
    (message.reasoning_details?.length ?? 0) > 0 ||
    (message.codex_reasoning_items?.length ?? 0) > 0
  );
}
