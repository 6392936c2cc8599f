import { newToolCall, type OpaqueField, type ToolCall, type Usage } from "#conversation";
import { defined } from "#foundation/defined";
import { isRecord } from "#foundation/text/json";
import type { AttemptEvent } from "#model";

type Json = Readonly<Record<string, unknown>>;

const opaqueFields: readonly OpaqueField[] = [
  "reasoning_content",
  "reasoning_details",
  "codex_reasoning_items",
  "codex_message_items",
];

/** Takes the events of one attempt and makes a chat completion of them: the final message, and how long its pieces were. */
export class ResponseTaker {
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #calls: ToolCall[] = [];
  readonly #opaque: Record<string, unknown> = {};
  #start: Extract<AttemptEvent, { type: "attempt-start" }> | undefined;
  #usage: Extract<AttemptEvent, { type: "usage" }> | undefined;
  #end: Extract<AttemptEvent, { type: "attempt-end" }> | undefined;

  add(event: AttemptEvent): void {
    if (event.type === "attempt-start") this.#start = event;
    else if (event.type === "text-delta") this.#text.push(event.text);
    else if (event.type === "reasoning-delta") this.#reasoning.push(event.text);
    else if (event.type === "reasoning-end") this.#reasoning.push("\n\n");
    else if (event.type === "tool-call") this.#calls.push(event.call);
    else if (event.type === "opaque") this.#opaque[event.field] = event.value;
    else if (event.type === "usage") this.#usage = event;
    else if (event.type === "attempt-end") this.#end = event;
  }

  get calls(): readonly ToolCall[] {
    return this.#calls;
  }

  /** Undefined: the attempt did not come to its end. */
  response(): Json | undefined {
    const end = this.#end;
    if (end === undefined) return undefined;
    return {
      object: "chat.completion",
      ...defined({ id: this.#start?.responseId, model: this.#start?.model }),
      choices: [
        {
          index: 0,
          finish_reason: end.finish,
          ...defined({ raw_finish_reason: end.rawFinish }),
          ...(end.isReasoningOpen === true ? { is_reasoning_open: true } : {}),
          message: {
            role: "assistant",
            content: this.#text.join(""),
            ...(this.#reasoning.length === 0 ? {} : { reasoning: this.#reasoning.join("") }),
            ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
            ...this.#opaque,
          },
        },
      ],
      ...(this.#usage === undefined ? {} : { usage: usageFields(this.#usage) }),
      chunk_lengths: this.#text.map((piece) => piece.length),
    };
  }
}

function usageFields({ usage, costUsd }: { readonly usage: Usage; readonly costUsd?: number }): Json {
  return {
    prompt_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
    completion_tokens: usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
    ...defined({ cost: costUsd }),
  };
}

/** The events such a response came from, its text in the pieces it came in. Undefined: it is no chat completion. */
export function recordedEvents(response: Json): readonly AttemptEvent[] | undefined {
  const choice: unknown = Array.isArray(response["choices"]) ? response["choices"][0] : undefined;
  if (!isRecord(choice) || !isRecord(choice["message"])) return undefined;
  const { message } = choice;
  const calls = callsIn(message["tool_calls"]);
  const reasoning = textIn(message["reasoning"]);
  const content = textIn(message["content"]);
  const finish = textIn(choice["finish_reason"]) || (calls.length > 0 ? "tool_calls" : "stop");
  const raw = choice["raw_finish_reason"];
  const [model, id] = [response["model"], response["id"]];
  return [
    {
      type: "attempt-start",
      ...(typeof model === "string" ? { model } : {}),
      ...(typeof id === "string" ? { responseId: id } : {}),
    },
    ...(reasoning === ""
      ? []
      : ([
          { type: "reasoning-start" },
          { type: "reasoning-delta", text: reasoning },
          { type: "reasoning-end" },
        ] as const)),
    ...opaqueFields.flatMap((field) =>
      message[field] === undefined ? [] : [{ type: "opaque", field, value: message[field] } as const],
    ),
    ...(content === ""
      ? []
      : [
          { type: "text-start" } as const,
          ...pieces(content, response["chunk_lengths"]).map((text) => ({ type: "text-delta", text }) as const),
          { type: "text-end" } as const,
        ]),
    ...calls.map((call, index) => ({ type: "tool-call", index, call }) as const),
    ...usageIn(response["usage"]),
    {
      type: "attempt-end",
      finish: finishOf(finish),
      ...(typeof raw === "string" ? { rawFinish: raw } : {}),
      ...(choice["is_reasoning_open"] === true ? { isReasoningOpen: true } : {}),
    },
  ];
}

type Finish = Extract<AttemptEvent, { type: "attempt-end" }>["finish"];
const finishes: readonly Finish[] = ["stop", "tool_calls", "length", "incomplete", "content_filter"];

function finishOf(text: string): Finish {
  return finishes.find((one) => one === text) ?? "stop";
}

function callsIn(value: unknown): readonly ToolCall[] {
  return (Array.isArray(value) ? value : []).filter(isRecord).map((call) => {
    const called = isRecord(call["function"]) ? call["function"] : {};
    const made = newToolCall({
      id: textIn(call["id"]),
      name: textIn(called["name"]),
      arguments: textIn(called["arguments"]),
      extraContent: call["extra_content"],
    });
    return typeof call["call_id"] === "string" ? { ...made, call_id: call["call_id"] } : made;
  });
}

/** Lengths that do not fit any more (a secret was taken out) leave the rest in one piece. */
function pieces(text: string, lengths: unknown): readonly string[] {
  const found: string[] = [];
  let at = 0;
  for (const length of Array.isArray(lengths) ? lengths : [])
    if (typeof length === "number" && length > 0 && at < text.length) {
      found.push(text.slice(at, at + length));
      at += length;
    }
  return at < text.length ? [...found, text.slice(at)] : found;
}

function usageIn(value: unknown): readonly AttemptEvent[] {
  if (!isRecord(value)) return [];
  const prompt = isRecord(value["prompt_tokens_details"]) ? value["prompt_tokens_details"] : {};
  const written = isRecord(value["completion_tokens_details"]) ? value["completion_tokens_details"] : {};
  const [cacheRead, cacheWrite] = [numberIn(prompt["cached_tokens"]), numberIn(prompt["cache_write_tokens"])];
  const usage: Usage = {
    input: numberIn(value["prompt_tokens"]) - cacheRead - cacheWrite,
    output: numberIn(value["completion_tokens"]),
    cacheRead,
    cacheWrite,
    reasoning: numberIn(written["reasoning_tokens"]),
  };
  return [{ type: "usage", usage, ...(typeof value["cost"] === "number" ? { costUsd: value["cost"] } : {}) }];
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberIn(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
