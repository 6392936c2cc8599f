import { createHash } from "node:crypto";
import { embedJson } from "#agent";
import type { Message } from "#conversation";
import { toExact } from "#foundation/text/exact-json-text";
import { isRecord, mapStrings } from "#foundation/text/json";
import type { ModelRequest } from "#model";

type Json = Readonly<Record<string, unknown>>;

/** What a request says, without secrets and without what differs from run to run. */
export interface RequestForm {
  readonly sha256: string;
  readonly messages: readonly Json[];
}

export function requestForm(request: ModelRequest, redact: (text: string) => string): RequestForm {
  const { target, system, messages, tools, options } = request;
  const ids = new Map<string, string>();
  const numbered = (id: string): string => {
    const known = ids.get(id) ?? `call_${ids.size}`;
    ids.set(id, known);
    return known;
  };
  const turns = messages.map((message) => plain(message, numbered));
  const all = system === "" ? turns : [{ role: "system", content: system }, ...turns];
  const settled = mapStrings(all, (text) => redact(withoutFolder(text))) as readonly Json[];
  const { temperature, maxOutputTokens, reasoning, toolChoice, extraBody } = options;
  const sampling = {
    temperature,
    max_tokens: maxOutputTokens,
    reasoning,
    tool_choice: toolChoice,
    extra_body: extraBody,
  };
  return { sha256: hashOf({ model: target.model, messages: settled, tools, sampling }), messages: settled };
}

function plain(message: Message, numbered: (id: string) => string): Json {
  const { role, content } = message;
  if (role === "tool") return { role, tool_call_id: numbered(message.tool_call_id), content };
  if (role !== "assistant" || !message.tool_calls?.length) return { role, content };
  const calls = message.tool_calls.map(({ id, function: called }) => ({ id: numbered(id), ...called }));
  return { role, content, tool_calls: calls };
}

/** The sandbox of a rollout is another folder each time. */
function withoutFolder(text: string): string {
  return text.replaceAll(/hermes-rollout-\d+-\w+/g, "hermes-rollout");
}

/** The same for the same value, in this program and in any other that writes JSON as Python does. */
export function hashOf(value: unknown): string {
  const json = JSON.parse(JSON.stringify(value)) as unknown;
  return createHash("sha256")
    .update(embedJson(toExact(json)))
    .digest("hex");
}

const shown = 160;

/** Where two requests part, for a person. */
export function firstDifference(recorded: readonly Json[], now: readonly Json[]): string {
  for (let at = 0; at < Math.max(recorded.length, now.length); at += 1) {
    const [was, is] = [words(recorded[at]), words(now[at])];
    if (was === is) continue;
    const role = String((now[at] ?? recorded[at])?.["role"]);
    let same = 0;
    while (same < was.length && was[same] === is[same]) same += 1;
    const from = Math.max(0, same - 40);
    return `message ${at} (${role}) differs\n- ${was.slice(from, from + shown)}\n+ ${is.slice(from, from + shown)}`;
  }
  return "the messages are the same, but the model, its tools or its sampling are not";
}

function words(message: Json | undefined): string {
  if (message === undefined) return "(no such message)";
  const { content, tool_calls: calls } = message;
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return Array.isArray(calls) ? `${text} ${JSON.stringify(calls.filter(isRecord))}` : text;
}
