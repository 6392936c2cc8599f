import { type Message, type ToolMessage, textOf } from "#conversation";
import { boundResults, type Tool } from "#tools";
import type { Remedy } from "./remedy.ts";
import type { RemedyDeps } from "./standard.ts";

/** Shorter results are not worth a file. */
const longestKept = 4_000;
const cutNote = "\n[Cut to make room. Read the part you need again.]";

/** Compression could not help: long tool results go into files before the turn is given up. What is stored keeps them. */
export function persistResults(deps: RemedyDeps): Remedy {
  return {
    name: "persist-results",
    limit: { per: "turn", times: 1 },
    treats: (problem) =>
      problem.stage === "request" &&
      (problem.failure.kind === "context_overflow" || problem.failure.kind === "payload_too_large"),
    async apply(_problem, turn) {
      const long = turn.history.filter(isLong);
      if (long.length === 0 || deps.resultFiles === undefined) return undefined;
      const texts = await boundResults(
        long.map((message) => ({
          callId: message.tool_call_id,
          // What is never kept in a file can be read again, which is better than paging through a copy.
          text: isRereadable(turn.tools.get(message.tool_name)) ? trimmed(message) : textOf(message.content),
          limit: longestKept + cutNote.length,
        })),
        deps.resultFiles,
        { perResult: longestKept, perReply: Number.POSITIVE_INFINITY, preview: longestKept / 2 },
      );
      const shorter = new Map<Message, Message>(
        long.map((message, index) => [message, { ...message, content: texts[index] ?? "" }]),
      );
      turn.replaceHistory(
        turn.history.map((message) => shorter.get(message) ?? message),
        "long results moved into files",
      );
      deps.conversation.meter.forget();
      return { kind: "retry", waitMs: 0 };
    },
  };
}

function isLong(message: Message): message is ToolMessage {
  return message.role === "tool" && typeof message.content === "string" && message.content.length > longestKept;
}

function isRereadable(tool: Tool | undefined): boolean {
  return tool?.maxResultChars === Number.POSITIVE_INFINITY;
}

function trimmed(message: ToolMessage): string {
  return textOf(message.content).slice(0, longestKept) + cutNote;
}
