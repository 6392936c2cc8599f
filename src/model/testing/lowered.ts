import type { Message, ToolCall } from "#conversation";
import { prepareRequest } from "../prepare.ts";
import { type RequestGiven, testRequest } from "./target.ts";

export interface LoweredRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: a body is looked at freely in a test.
  readonly body: any;
}

/** What would be sent, its body parsed. */
export async function lowered(input: RequestGiven): Promise<LoweredRequest> {
  const { wire, headers } = await prepareRequest(testRequest(input));
  return { path: wire.path, headers, body: JSON.parse(wire.body) };
}

export function call(id: string, args: string, extra: Partial<ToolCall> = {}): ToolCall {
  return { id, call_id: id, type: "function", function: { name: "read_file", arguments: args }, ...extra };
}

export const png = "data:image/png;base64,iVBORw0KGgo=";

/** One step of a turn that was made on the Responses wire. */
export const history: readonly Message[] = [
  { role: "user", content: " Read it ", uid: "u1", timestamp: 1 },
  {
    role: "assistant",
    content: "",
    uid: "u2",
    reasoning: "I should read.",
    finish_reason: "tool_calls",
    codex_reasoning_items: [{ type: "reasoning", id: "rs_1", encrypted_content: "E", summary: [] }],
    codex_message_items: [],
    tool_calls: [call("call_1", '{"b":1,"a":{"d":2,"c":3}}', { response_item_id: "fc_1" })],
  },
  { role: "tool", content: "text", tool_call_id: "call_1", tool_name: "read_file", uid: "u3" },
];
