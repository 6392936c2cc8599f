import {
  type AssistantMessage,
  newToolCall,
  type RequestMessage,
  systemMessage,
  type ToolCall,
  userMessage,
} from "#conversation";
import { decodeExact, type ExactJson } from "#foundation/text/exact-json";
import { exactJsonText } from "#foundation/text/exact-json-text";
import type { ShareGptTurn } from "./sharegpt.ts";

/**
 * A trajectory back as chat messages: the leading think block becomes `reasoning`, call blocks become
 * `tool_calls`, response blocks become tool messages. Ids of calls are not in the format; they are taken
 * from the responses that follow, or counted.
 */
export function fromShareGpt(turns: readonly ShareGptTurn[]): readonly RequestMessage[] {
  const messages: RequestMessage[] = [];
  turns.forEach((turn, index) => {
    switch (turn.from) {
      case "system":
        messages.push(systemMessage(turn.value));
        return;
      case "human":
        messages.push(userMessage(turn.value));
        return;
      case "gpt": {
        const next = turns[index + 1];
        const responses = next?.from === "tool" ? readResponses(next.value) : [];
        messages.push(readAssistant(turn.value, responses, index));
        return;
      }
      case "tool":
        for (const { id, name, content } of readResponses(turn.value))
          messages.push({ role: "tool", tool_call_id: id, tool_name: name, content });
    }
  });
  return messages;
}

interface Response {
  readonly id: string;
  readonly name: string;
  readonly content: string;
}

function readAssistant(value: string, responses: readonly Response[], turnIndex: number): AssistantMessage {
  const { reasoning, rest } = splitThink(value);
  const { blocks, before } = splitBlocks(rest, "tool_call");
  const calls = blocks.flatMap((block, index): readonly ToolCall[] => {
    const call = readObject(block);
    if (call === undefined) return [];
    const id = responses[index]?.id || `call_${turnIndex}_${index}`;
    const args = exactJsonText(call.get("arguments") ?? new Map());
    return [newToolCall({ id, name: textOr(call.get("name"), ""), arguments: args })];
  });
  return {
    role: "assistant",
    content: before,
    ...(reasoning === "" ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

const thinkOpen = "<think>";
const thinkClose = "</think>";

/** Only a block at the very beginning is reasoning; an empty one is the format's filler. */
function splitThink(value: string): { readonly reasoning: string; readonly rest: string } {
  const end = value.startsWith(thinkOpen) ? value.indexOf(thinkClose) : -1;
  if (end < 0) return { reasoning: "", rest: value };
  const reasoning = value.slice(thinkOpen.length, end).replace(/^\n/, "").replace(/\n$/, "");
  return { reasoning, rest: value.slice(end + thinkClose.length).replace(/^\n/, "") };
}

/** The insides of `<tag>` blocks that stand on lines of their own, and the text before the first. */
function splitBlocks(value: string, tag: string): { readonly blocks: readonly string[]; readonly before: string } {
  const [open, close] = [`<${tag}>\n`, `\n</${tag}>`];
  const blocks: string[] = [];
  const start = value.indexOf(open);
  for (let at = start; at >= 0; ) {
    const end = value.indexOf(close, at + open.length);
    if (end < 0) break;
    blocks.push(value.slice(at + open.length, end));
    at = value.indexOf(open, end + close.length);
  }
  return { blocks, before: blocks.length === 0 ? value : value.slice(0, start).replace(/\n$/, "") };
}

function readResponses(value: string): readonly Response[] {
  return splitBlocks(value, "tool_response").blocks.flatMap((block): readonly Response[] => {
    const response = readObject(block);
    if (response === undefined) return [];
    const content = response.get("content") ?? null;
    return [
      {
        id: textOr(response.get("tool_call_id"), ""),
        name: textOr(response.get("name"), "unknown"),
        content: typeof content === "string" ? content : exactJsonText(content),
      },
    ];
  });
}

function readObject(text: string): ReadonlyMap<string, ExactJson> | undefined {
  const value = decodeExact(text)?.value;
  return value instanceof Map ? value : undefined;
}

function textOr(value: ExactJson | undefined, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}
