import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { agentLevelTool } from "../call/agent-level.ts";
import type { ToolContext } from "../call/context.ts";
import { result, ToolFailure, type ToolResult } from "../call/result.ts";
import type { Tool } from "../registry/tool.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

const maxChoices = 4;

export const clarifyTool: Tool = agentLevelTool({
  name: "clarify",
  toolset: "clarify",
  emoji: "❓",
  description:
    "Ask the user one question and wait for the answer. Offer up to four choices (an own answer is always possible), or none for a free " +
    "answer. For real ambiguity or a real trade-off; not to ask whether a command may run.",
  parameters: {
    type: "object",
    properties: {
      question: { type: "string" },
      choices: { type: "array", items: { type: "string" }, description: "At most four" },
    },
    required: ["question"],
  },
  concurrency: "never",
});

/** Puts a question to the user; resolves to the answer. */
export type AskUser = (question: string, choices: readonly string[], signal: AbortSignal) => Promise<string>;

/** What answers `clarify` on a surface; undefined `ask` means nobody can be asked. */
export function clarifyWith(ask: AskUser | undefined, timeoutMs: number): Tool["execute"] {
  return async (args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult> => {
    const question = args["question"];
    if (typeof question !== "string" || question.trim() === "")
      throw new ToolFailure("question must be a non-empty string");
    if (ask === undefined)
      throw new ToolFailure(
        "clarify is not available here: nobody can be asked. Decide yourself and say what you assumed.",
      );
    const choices = (Array.isArray(args["choices"]) ? args["choices"] : [])
      .map((choice) => String(choice).trim())
      .filter((choice) => choice !== "")
      .slice(0, maxChoices);
    const offered = choices.length === 0 ? null : choices;
    using limit = deadline(timeoutMs);
    const signal = linkSignals(context.signal, limit.signal);
    try {
      const answer = await raceAbort(ask(question, choices, signal), signal);
      return result({ question, choices_offered: offered, user_response: answer });
    } catch (error) {
      if (!limit.signal.aborted || context.signal.aborted) throw error;
      return result({ question, choices_offered: offered, user_response: null, timed_out: true });
    }
  };
}

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = () => [clarifyTool];
