import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { shortLine } from "#foundation/text/short-text";
import { defineAbility } from "../contract/ability.ts";
import { defineTool } from "../contract/define-tool.ts";
import { result, ToolFailure } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import type { BuiltinTools } from "./builtin-deps.ts";

const maxChoices = 4;

/** Puts a question to the user; resolves to the answer. */
export type AskUser = (question: string, choices: readonly string[], signal: AbortSignal) => Promise<string>;

/** Asking whoever the agent works for. */
export const askingUser = defineAbility<{ readonly ask: AskUser; readonly timeoutMs: number }>(
  "asking the user",
  "clarify is not available here: nobody can be asked. Decide yourself and say what you assumed.",
);

export const clarifyTool: Tool = defineTool({
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
  effects: "elsewhere",
  isForMainAgent: true,
  isQuestion: true,
  shorten: ({ question }) => `asked the user: ${shortLine(question, 80)}`,
  async run({ question, choices = [] }, context) {
    if (question.trim() === "") throw new ToolFailure("question must be a non-empty string");
    const { ask, timeoutMs } = context.agent.need(askingUser);
    const offered = choices
      .map((choice) => choice.trim())
      .filter((choice) => choice !== "")
      .slice(0, maxChoices);
    const asked = { question, choices_offered: offered.length === 0 ? null : offered };
    using limit = deadline(timeoutMs);
    const signal = linkSignals(context.signal, limit.signal);
    try {
      return result({ ...asked, user_response: await raceAbort(ask(question, offered, signal), signal) });
    } catch (error) {
      if (!limit.signal.aborted || context.signal.aborted) throw error;
      return result({ ...asked, user_response: null, timed_out: true });
    }
  },
});

/** Found by the list that is generated from this folder. */
export const builtin: BuiltinTools = () => [clarifyTool];
