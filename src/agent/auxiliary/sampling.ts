import {
  assistantMessage,
  type ContentPart,
  imagePart,
  type Message,
  newToolCall,
  textPart,
  toolMessage,
  userMessage,
} from "#conversation";
import { defined } from "#foundation/defined";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Auxiliary, AuxiliaryOutcome } from "#model";
import type { SampleReply, SampleRequest, Auxiliary as ToolAuxiliary } from "#tools";

/** Answers completions that MCP servers ask for, with the model of the side task `mcp`. */
export function samplingModel(run: Auxiliary["run"]): ToolAuxiliary["sample"] {
  return async (request, signal) => {
    const answer = await run(
      "mcp",
      {
        messages: request.messages.flatMap(messagesOf),
        tools: request.tools.map(({ name, description, parameters }) => ({
          name,
          description,
          parameters: isRecord(parameters) ? parameters : { type: "object" },
        })),
        maxTokens: request.maxTokens,
        ...defined({ model: request.model, system: request.system, temperature: request.temperature }),
      },
      signal,
    );
    return answer.kind === "failed"
      ? { kind: "unavailable", reason: `${answer.message} ${answer.hint}`.trim() }
      : replyOf(answer);
  };
}

function replyOf({ target, message, usage }: Extract<AuxiliaryOutcome, { kind: "done" }>): SampleReply {
  const calls = (message.tool_calls ?? []).map((call) => {
    const parsed = parseJson(call.function.arguments);
    const input = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
    return { type: "tool_use", id: call.id, name: call.function.name, input } as const;
  });
  const text = message.content === "" ? [] : [{ type: "text", text: message.content } as const];
  return {
    kind: "reply",
    model: target.model,
    content: [...text, ...calls],
    finish: calls.length > 0 ? "tool_calls" : message.finish_reason === "length" ? "length" : "stop",
    tokensUsed: (usage?.input ?? 0) + (usage?.output ?? 0),
  };
}

/** One message of a server, in ours: results of tools are messages of their own. */
function messagesOf({ role, content }: SampleRequest["messages"][number]): readonly Message[] {
  const results = content.flatMap((part) =>
    part.type === "tool_result"
      ? [toolMessage(newToolCall({ id: part.toolUseId, name: "tool", arguments: "{}" }), part.text)]
      : [],
  );
  const parts = content.flatMap((part): ContentPart[] => {
    if (part.type === "text") return [textPart(part.text)];
    return part.type === "image" ? [imagePart(`data:${part.mimeType};base64,${part.data}`)] : [];
  });
  if (role === "user") return parts.length === 0 ? results : [...results, userMessage(parts)];
  const calls = content.flatMap((part) =>
    part.type === "tool_use"
      ? [newToolCall({ id: part.id, name: part.name, arguments: JSON.stringify(part.input) })]
      : [],
  );
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return [assistantMessage(text, calls.length === 0 ? {} : { tool_calls: calls }), ...results];
}
