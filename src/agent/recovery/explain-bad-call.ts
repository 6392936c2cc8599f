import { type AssistantMessage, type Message, readArguments, type ToolCall, toolMessage } from "#conversation";
import { nearest } from "#foundation/text/text";
import { repairToolName } from "#tools";
import type { Remedy } from "./remedy.ts";

/** A tool that does not exist: the model is told which do, and that nothing was run. */
export const explainBadCall: Remedy = {
  name: "explain-bad-call",
  limit: { per: "step", times: 2 },
  treats: (problem) => problem.stage === "reply" && problem.defect === "unknown-tool",
  async apply(problem, turn) {
    if (problem.stage !== "reply") return undefined;
    const known = new Set(turn.tools.keys());
    const list = [...known].sort().join(", ");
    await turn.append(
      answered(problem.collected.message, (call) =>
        repairToolName(call.function.name, known) === undefined
          ? `There is no tool named ${call.function.name}.${meant(call.function.name, known)} Available: ${list}`
          : "Not run, because another call of the same reply named a tool that does not exist. Send this call again.",
      ),
    );
    return { kind: "retry", waitMs: 0 };
  },
};

/** The nearest name, for the model to decide about: nothing runs under another name. */
function meant(name: string, known: ReadonlySet<string>): string {
  const near = nearest(name, known);
  return near === undefined ? "" : ` The nearest is ${near}; nothing was run.`;
}

/** Arguments that are no JSON, several times over: the call is kept without them, with what the parser said. */
export const explainUnreadable: Remedy = {
  name: "explain-unreadable",
  limit: { per: "turn", times: 3 },
  treats: (problem) => problem.stage === "reply" && problem.defect === "unreadable-arguments",
  async apply(problem, turn) {
    if (problem.stage !== "reply") return undefined;
    const { message } = problem.collected;
    const emptied = { ...message, tool_calls: (message.tool_calls ?? []).map(withoutUnreadable) };
    const complaints = new Map((message.tool_calls ?? []).map((call) => [call.id, complaint(call)]));
    await turn.append(answered(emptied, (call) => complaints.get(call.id) ?? ""));
    turn.resetRemedies(["retry-unreadable-arguments"]);
    return { kind: "retry", waitMs: 0 };
  },
};

function answered(message: AssistantMessage, why: (call: ToolCall) => string): readonly Message[] {
  const results = (message.tool_calls ?? []).map((call) => toolMessage(call, JSON.stringify({ error: why(call) })));
  return [message, ...results];
}

function withoutUnreadable(call: ToolCall): ToolCall {
  return readArguments(call.function.arguments).kind === "ok"
    ? call
    : { ...call, function: { ...call.function, arguments: "{}" } };
}

function complaint(call: ToolCall): string {
  const read = readArguments(call.function.arguments);
  return read.kind === "ok"
    ? "Not run, because the arguments of another call of the same reply could not be read. Send this call again."
    : `The arguments are not valid JSON (${read.message}), so nothing was run. Send the whole call again; send {} when it takes no arguments.`;
}
