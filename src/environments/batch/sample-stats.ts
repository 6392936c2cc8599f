import { isBlank, type ToolStats, type TrajectoryMessage, trimBoth } from "#agent";
import { isRecord, parseJson } from "#foundation/text/json";

/**
 * How often each tool was called in a transcript, and how its results turned out. A command that ended with another code
 * than 0 did not fail: the model can put that right itself. Results of calls nobody made do not count.
 */
export function toolStats(messages: readonly TrajectoryMessage[]): ReadonlyMap<string, ToolStats> {
  const stats = new Map<string, { count: number; success: number; failure: number }>();
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const { id, name } of callsIn(message.tool_calls)) {
        const of = stats.get(name) ?? { count: 0, success: 0, failure: 0 };
        of.count += 1;
        stats.set(name, of);
        names.set(id, name);
      }
    }
    if (message.role !== "tool") continue;
    const of = stats.get(names.get(typeof message.tool_call_id === "string" ? message.tool_call_id : "") ?? "");
    if (of === undefined) continue;
    if (isFailure(message.content)) of.failure += 1;
    else of.success += 1;
  }
  return stats;
}

function callsIn(value: unknown): readonly { readonly id: string; readonly name: string }[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((call) => {
    const target = isRecord(call["function"]) ? call["function"] : {};
    return { id: String(call["id"] ?? ""), name: String(target["name"] ?? "") };
  });
}

function isFailure(content: unknown): boolean {
  if (typeof content !== "string") return isErrorValue(content);
  const parsed = parseJson(content);
  if (parsed.ok) return isErrorValue(parsed.value);
  return content === "" || trimBoth(content).toLowerCase().startsWith("error:");
}

function isErrorValue(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { error, content, success } = value;
  if (error !== undefined && error !== null) return true;
  if (isRecord(content) && content["error"] !== undefined && content["error"] !== null) return true;
  return success === false;
}

export interface ReasoningStats {
  readonly total_assistant_turns: number;
  readonly turns_with_reasoning: number;
  readonly turns_without_reasoning: number;
}

/** In how many replies the model thought: in its own field, in a scratchpad, or between think tags. */
export function reasoningStats(messages: readonly TrajectoryMessage[]): ReasoningStats {
  const replies = messages.filter(({ role }) => role === "assistant");
  const thinking = replies.filter(hasReasoning).length;
  return {
    total_assistant_turns: replies.length,
    turns_with_reasoning: thinking,
    turns_without_reasoning: replies.length - thinking,
  };
}

function hasReasoning({ reasoning, content }: TrajectoryMessage): boolean {
  if (typeof reasoning === "string" && !isBlank(reasoning)) return true;
  return typeof content === "string" && hasThought(content);
}

/** A scratchpad, or a think block that is not empty. */
function hasThought(text: string): boolean {
  if (text.includes("<REASONING_SCRATCHPAD>")) return true;
  return [...text.matchAll(/<think>([\s\S]*?)<\/think>/g)].some(([, thought = ""]) => !isBlank(thought));
}

/** The same count from a saved line, where the transcript is gone. */
export function reasoningOfTurns(turns: readonly { readonly from: string; readonly value: string }[]): ReasoningStats {
  const replies = turns.filter(({ from }) => from === "gpt");
  const thinking = replies.filter(({ value }) => hasThought(value)).length;
  return {
    total_assistant_turns: replies.length,
    turns_with_reasoning: thinking,
    turns_without_reasoning: replies.length - thinking,
  };
}

export function addReasoning(left: ReasoningStats, right: ReasoningStats): ReasoningStats {
  return {
    total_assistant_turns: left.total_assistant_turns + right.total_assistant_turns,
    turns_with_reasoning: left.turns_with_reasoning + right.turns_with_reasoning,
    turns_without_reasoning: left.turns_without_reasoning + right.turns_without_reasoning,
  };
}

export const noReasoning: ReasoningStats = {
  total_assistant_turns: 0,
  turns_with_reasoning: 0,
  turns_without_reasoning: 0,
};
