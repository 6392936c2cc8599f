import { type Message, textOf } from "#conversation";
import { newId } from "#foundation/text/ids";
import type { TokenCall } from "../managed/sequence-tracker.ts";

export type Item = Readonly<Record<string, unknown>>;

/** The items of a reply; the tokens of the call that made it are on the last of them. */
export function replyItems(
  message: Extract<Message, { readonly role: "assistant" }>,
  tokens: TokenCall | undefined,
): readonly Item[] {
  const text = textOf(message.content);
  const calls = message.tool_calls ?? [];
  const items = [
    ...(text === "" && calls.length > 0 ? [] : [messageItem(text)]),
    ...calls.map(({ id, function: called }) => callItem(id, called)),
  ];
  return withTokens(items, tokens);
}

export function withTokens(items: readonly Item[], tokens: TokenCall | undefined): readonly Item[] {
  if (tokens === undefined) return items;
  const fields = {
    prompt_token_ids: tokens.input,
    generation_token_ids: tokens.ids,
    generation_log_probs: tokens.logprobs,
  };
  return items.map((item, index) => (index === items.length - 1 ? { ...item, ...fields } : item));
}

export function callItem(id: string, called: { readonly name: string; readonly arguments: string }): Item {
  const { name, arguments: args } = called;
  return { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: args, status: "completed" };
}

export function resultItem(callId: string, output: string): Item {
  return { type: "function_call_output", call_id: callId, output, status: "completed" };
}

export function messageItem(text: string): Item {
  return {
    ...{ type: "message", id: newId("msg"), role: "assistant", status: "completed" },
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

/** All that was said after the question. Tokens are there when every reply has its own; otherwise none. */
export function conversationItems(messages: readonly Message[], calls: readonly TokenCall[]): readonly Item[] {
  const replies = messages.filter(({ role }) => role === "assistant").length;
  let reply = 0;
  return messages.flatMap((message) => {
    if (message.role === "assistant") return replyItems(message, replies === calls.length ? calls[reply++] : undefined);
    return message.role === "tool" ? [resultItem(message.tool_call_id, textOf(message.content))] : [];
  });
}

/** A Responses object; usage is there as a whole or not at all. */
export function responseObject(facts: {
  readonly model: string;
  readonly output: readonly Item[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | undefined;
}): Item {
  const { model, output, usage } = facts;
  return {
    ...{ id: newId("resp"), created_at: 0, model, object: "response" },
    ...{ parallel_tool_calls: false, tools: [], tool_choice: "auto" },
    output: output.length === 0 ? [messageItem("")] : output,
    ...(usage === undefined || usage.completion_tokens === 0
      ? {}
      : {
          usage: {
            input_tokens: usage.prompt_tokens,
            output_tokens: usage.completion_tokens,
            total_tokens: usage.prompt_tokens + usage.completion_tokens,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens_details: { reasoning_tokens: 0 },
          },
        }),
  };
}
