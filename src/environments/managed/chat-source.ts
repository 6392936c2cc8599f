import { type Message, newToolCall, textOf } from "#conversation";
import { isRecord } from "#foundation/text/json";
import type { ModelRequest } from "#model";
import { askServer, numbers, type TokenServer } from "./token-server.ts";

/** A reply of a chat server that tells its tokens: what it read, what it sampled, and what it made of that. */
export interface ChatSample {
  readonly input: readonly number[];
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ReturnType<typeof newToolCall>[];
  readonly finish: "stop" | "length";
}

/** The server renders the prompt and finds the calls; it says which tokens it read and which it sampled. */
export async function sampleChat(
  server: TokenServer,
  request: ModelRequest & { readonly maxTokens: number },
  signal: AbortSignal,
): Promise<ChatSample> {
  const url = `${server.base_url.replace(/\/+$/, "")}/chat/completions`;
  const answer = await askServer(server, { url, body: bodyOf(request) }, signal);
  if (!isRecord(answer)) throw new Error(`${url} answered no JSON object`);
  return readChat(answer, url);
}

function bodyOf(request: ModelRequest & { readonly maxTokens: number }) {
  const { system, messages, tools, options, target, maxTokens } = request;
  const turns = messages.map(wireMessage);
  return {
    model: target.model,
    messages: system === "" ? turns : [{ role: "system", content: system }, ...turns],
    ...(tools.length === 0 ? {} : { tools: tools.map((definition) => ({ type: "function", function: definition })) }),
    temperature: options.temperature ?? 1,
    max_tokens: maxTokens,
    ...options.extraBody,
    ...{ n: 1, stream: false, logprobs: true, top_logprobs: 0 },
    ...{ return_tokens_as_token_ids: true, return_token_ids: true },
  };
}

function wireMessage(message: Message): Readonly<Record<string, unknown>> {
  const content = textOf(message.content);
  switch (message.role) {
    case "assistant":
      return { role: "assistant", content, ...(message.tool_calls?.length ? { tool_calls: message.tool_calls } : {}) };
    case "tool":
      return { role: "tool", tool_call_id: message.tool_call_id, content };
    default:
      return { role: message.role, content };
  }
}

function readChat(answer: Readonly<Record<string, unknown>>, url: string): ChatSample {
  const choice = Array.isArray(answer["choices"]) ? (answer["choices"][0] as unknown) : undefined;
  if (!isRecord(choice) || !isRecord(choice["message"])) throw new Error(`${url} answered without a message`);
  const { message } = choice;
  const input = numbers(answer["prompt_token_ids"] ?? choice["prompt_token_ids"]);
  const ids = numbers(choice["token_ids"]);
  if (input.length === 0 || ids.length === 0)
    throw new Error(`${url} does not tell its tokens; it has to know return_token_ids`);
  const calls = (Array.isArray(message["tool_calls"]) ? message["tool_calls"] : []).filter(isRecord);
  return {
    input,
    ids,
    logprobs: logprobsOf(choice["logprobs"]),
    text: textIn(message["content"]),
    reasoning: textIn(message["reasoning_content"] ?? message["reasoning"]),
    calls: calls.map((call) => {
      const called = isRecord(call["function"]) ? call["function"] : {};
      return newToolCall({
        id: String(call["id"]),
        name: String(called["name"]),
        arguments: String(called["arguments"]),
      });
    }),
    finish: choice["finish_reason"] === "length" ? "length" : "stop",
  };
}

/** The chat form has an entry for each token; older servers have a plain list. */
function logprobsOf(value: unknown): readonly number[] {
  if (!isRecord(value)) return [];
  const { content, token_logprobs: plain } = value;
  return Array.isArray(content) ? numbers(content.filter(isRecord).map(({ logprob }) => logprob)) : numbers(plain);
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
