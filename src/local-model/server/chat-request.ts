import { isRecord } from "#foundation/text/json";
import type { Sampling } from "./llama.ts";

export interface ChatCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
  readonly toolCalls: readonly ChatCall[];
  readonly toolCallId?: string | undefined;
  readonly name?: string | undefined;
}

export interface ChatTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export type CallChoice =
  | { readonly kind: "auto" }
  | { readonly kind: "none" }
  /** A call must be made: of this tool, or of any. */
  | { readonly kind: "call"; readonly name?: string | undefined };

/** A body of the chat-completions wire, read. */
export interface ChatRequest {
  readonly model: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly choice: CallChoice;
  readonly isStreamed: boolean;
  readonly includesUsage: boolean;
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  readonly sampling: Omit<Sampling, "repeatPenalty"> & {
    readonly frequencyPenalty: number;
    readonly presencePenalty: number;
  };
  /** The schema the answer has to follow. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Whose turn it is, for fairness among sessions. */
  readonly key: string;
  /** The exact tokens of prompt and answer are wanted, as for training. */
  readonly wantsTokens: boolean;
  readonly wantsLogprobs: boolean;
}

export type ChatReading =
  | { readonly kind: "request"; readonly request: ChatRequest }
  | { readonly kind: "fault"; readonly message: string };

export function readChatRequest(body: unknown): ChatReading {
  if (!isRecord(body)) return { kind: "fault", message: "The body is not a JSON object." };
  if (!Array.isArray(body["messages"]) || body["messages"].length === 0) {
    return { kind: "fault", message: "messages must be a list that is not empty." };
  }
  const messages = body["messages"].filter(isRecord).map(messageOf);
  const tools = Array.isArray(body["tools"]) ? body["tools"].flatMap(toolOf) : [];
  const choice = choiceOf(body["tool_choice"], tools);
  if (choice === undefined)
    return { kind: "fault", message: "tool_choice names a function that is not among the tools." };
  const stream = body["stream_options"];
  return {
    kind: "request",
    request: {
      model: text(body["model"]),
      messages,
      tools,
      choice,
      isStreamed: body["stream"] === true,
      includesUsage: isRecord(stream) && stream["include_usage"] === true,
      maxTokens: positive(body["max_completion_tokens"]) ?? positive(body["max_tokens"]),
      stop:
        typeof body["stop"] === "string" ? [body["stop"]] : Array.isArray(body["stop"]) ? body["stop"].map(String) : [],
      sampling: samplingOf(body),
      schema: schemaOf(body["response_format"]),
      key: text(body["prompt_cache_key"]) ?? text(body["user"]) ?? "",
      wantsTokens: body["return_token_ids"] === true,
      wantsLogprobs: body["logprobs"] === true,
    },
  };
}

function messageOf(message: Record<string, unknown>): ChatMessage {
  const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isRecord) : [];
  const role = text(message["role"]) ?? "user";
  return {
    role: role === "developer" ? "system" : role,
    content: contentOf(message["content"]),
    toolCalls: calls.map((call) => {
      const called = isRecord(call["function"]) ? call["function"] : {};
      return { id: text(call["id"]) ?? "", name: text(called["name"]) ?? "", args: text(called["arguments"]) ?? "{}" };
    }),
    toolCallId: text(message["tool_call_id"]),
    name: text(message["name"]),
  };
}

/** Models here read text; what else a message holds is named, so that nobody wonders where it went. */
function contentOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isRecord)
    .map((part) =>
      typeof part["text"] === "string"
        ? part["text"]
        : `[${String(part["type"])} left out: this model reads text only]`,
    )
    .join("\n");
}

function toolOf(tool: unknown): readonly ChatTool[] {
  const described = isRecord(tool) && isRecord(tool["function"]) ? tool["function"] : undefined;
  const name = text(described?.["name"]);
  if (described === undefined || name === undefined) return [];
  const parameters = isRecord(described["parameters"]) ? described["parameters"] : {};
  return [{ type: "function", function: { name, description: text(described["description"]) ?? "", parameters } }];
}

function choiceOf(choice: unknown, tools: readonly ChatTool[]): CallChoice | undefined {
  if (choice === "none") return { kind: "none" };
  if (choice === "required") return tools.length === 0 ? undefined : { kind: "call" };
  if (!isRecord(choice)) return { kind: "auto" };
  const name = isRecord(choice["function"]) ? text(choice["function"]["name"]) : text(choice["name"]);
  return tools.some((tool) => tool.function.name === name) ? { kind: "call", name } : undefined;
}

function samplingOf(body: Readonly<Record<string, unknown>>): ChatRequest["sampling"] {
  const number = (key: string): number | undefined =>
    typeof body[key] === "number" && Number.isFinite(body[key]) ? body[key] : undefined;
  return {
    temperature: Math.max(0, number("temperature") ?? 0.7),
    topP: number("top_p") ?? 0.95,
    topK: number("top_k") ?? 40,
    minP: number("min_p"),
    seed: number("seed"),
    frequencyPenalty: number("frequency_penalty") ?? 0,
    presencePenalty: number("presence_penalty") ?? 0,
  };
}

function schemaOf(format: unknown): ChatRequest["schema"] {
  if (!isRecord(format)) return undefined;
  if (format["type"] === "json_object") return { type: "object" };
  const wrapped = isRecord(format["json_schema"]) ? format["json_schema"] : undefined;
  return format["type"] === "json_schema" && isRecord(wrapped?.["schema"]) ? wrapped["schema"] : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? Math.floor(value) : undefined;
}
