import { assistantMessage, type JsonSchema, type Message, userMessage } from "#conversation";
import { isRecord } from "#foundation/text/json";

/** What Gym asks of a remote agent: parameters of the Responses API. */
export interface GymQuestion {
  readonly instructions: string | undefined;
  readonly earlier: readonly Message[];
  readonly prompt: string;
  readonly tools: readonly GymTool[];
  /** Results of tools that Gym ran, by call. */
  readonly results: ReadonlyMap<string, string>;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly maxOutputTokens: number | undefined;
}

export interface GymTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** Undefined where nothing is asked. */
export function readQuestion(body: Readonly<Record<string, unknown>>): GymQuestion | undefined {
  const { input } = body;
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listed(input);
  const spoken = items.filter(({ role }) => role === "user" || role === "assistant");
  const last = spoken.findLastIndex(({ role }) => role === "user");
  const question = spoken[last];
  const system = items.filter(({ role }) => role === "system" || role === "developer").map(textOf);
  const own = typeof body["instructions"] === "string" ? [body["instructions"]] : [];
  const results = items.filter(({ type }) => type === "function_call_output");
  if (question === undefined) return undefined;
  return {
    instructions: [...own, ...system].join("\n\n") || undefined,
    earlier: spoken
      .slice(0, last)
      .map((item) => (item["role"] === "user" ? userMessage(textOf(item)) : assistantMessage(textOf(item)))),
    prompt: textOf(question),
    tools: listed(body["tools"]).flatMap(toTool),
    results: new Map(results.map(({ call_id, output }) => [String(call_id), String(output)])),
    temperature: numberOr(body["temperature"]),
    topP: numberOr(body["top_p"]),
    maxOutputTokens: numberOr(body["max_output_tokens"]),
  };
}

function listed(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Text, or pieces with text. */
function textOf({ content }: Readonly<Record<string, unknown>>): string {
  if (typeof content === "string") return content;
  return listed(content)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("");
}

function toTool({ type, name, description, parameters }: Readonly<Record<string, unknown>>): readonly GymTool[] {
  if (type !== "function" || typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return [];
  const schema = isRecord(parameters) ? parameters : {};
  return [
    {
      name,
      description: typeof description === "string" ? description : "",
      parameters: { type: "object", ...schema } as JsonSchema,
    },
  ];
}

function numberOr(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
