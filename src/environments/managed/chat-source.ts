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
  /** Where the server told the tokens on the message itself: it wants them back there. */
  readonly fields: TokenFields | undefined;
}

/** All three or none; as the server wrote them. */
export interface TokenFields {
  readonly prompt_token_ids: readonly number[];
  readonly generation_token_ids: readonly number[];
  readonly generation_log_probs: readonly number[];
}

interface ChatQuestion extends ModelRequest {
  readonly maxTokens: number;
  readonly thinkingMode: boolean;
  /** The tokens of an earlier reply, by its first call or its text. */
  fieldsOf(key: string): TokenFields | undefined;
}

/** The server renders the prompt and finds the calls; it says which tokens it read and which it sampled. */
export async function sampleChat(server: TokenServer, request: ChatQuestion, signal: AbortSignal): Promise<ChatSample> {
  const url = `${server.base_url.replace(/\/+$/, "")}/chat/completions`;
  const answer = await askServer(server, { url, body: bodyOf(request) }, signal);
  if (!isRecord(answer)) throw new Error(`${url} answered no JSON object`);
  return readChat(answer, url);
}

function bodyOf(request: ChatQuestion) {
  const { system, messages, tools, options, target, maxTokens, thinkingMode } = request;
  const turns = messages.map((message) => wireMessage(message, request));
  return {
    model: target.model,
    messages: system === "" ? turns : [{ role: "system", content: system }, ...turns],
    ...(tools.length === 0 ? {} : { tools: tools.map((definition) => ({ type: "function", function: definition })) }),
    temperature: options.temperature ?? 1,
    max_tokens: maxTokens,
    // What the model thought before stays in the prompt: it was sampled after it.
    ...(thinkingMode ? { chat_template_kwargs: { enable_thinking: true, truncate_history_thinking: false } } : {}),
    ...options.extraBody,
    ...{ n: 1, stream: false, logprobs: true, top_logprobs: 0 },
    ...{ return_tokens_as_token_ids: true, return_token_ids: true },
  };
}

function wireMessage(message: Message, { fieldsOf }: ChatQuestion): Readonly<Record<string, unknown>> {
  const content = textOf(message.content);
  switch (message.role) {
    case "assistant":
      return {
        ...{ role: "assistant", content },
        ...(message.tool_calls?.length ? { tool_calls: message.tool_calls } : {}),
        ...fieldsOf(message.tool_calls?.[0]?.id ?? content),
      };
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
  const fields = fieldsIn(message);
  const input = fields?.prompt_token_ids ?? numbers(answer["prompt_token_ids"] ?? choice["prompt_token_ids"]);
  const ids = fields?.generation_token_ids ?? numbers(choice["token_ids"]);
  if (input.length === 0 || ids.length === 0)
    throw new Error(`${url} does not tell its tokens; it has to know return_token_ids`);
  const calls = (Array.isArray(message["tool_calls"]) ? message["tool_calls"] : []).filter(isRecord);
  return {
    input,
    ids,
    fields,
    logprobs: fields?.generation_log_probs ?? logprobsOf(choice["logprobs"]),
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

function fieldsIn(message: Readonly<Record<string, unknown>>): TokenFields | undefined {
  const [prompt_token_ids, generation_token_ids, generation_log_probs] = [
    ...[message["prompt_token_ids"], message["generation_token_ids"], message["generation_log_probs"]].map(numbers),
  ];
  if (prompt_token_ids === undefined || generation_token_ids === undefined || generation_log_probs === undefined)
    return undefined;
  const isWhole = prompt_token_ids.length > 0 && generation_token_ids.length > 0;
  if (!isWhole || generation_log_probs.length !== generation_token_ids.length) return undefined;
  return { prompt_token_ids, generation_token_ids, generation_log_probs };
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
