import { listAt, objectsIn, stringAt, type WireObject } from "../wire-object.ts";
import { nameComplaint, toolRules } from "./openai-tools.ts";
import { eachItem, type ItemLocation, typeOf } from "./responses-item.ts";
import { reasoningRules } from "./responses-reasoning.ts";
import { type Complaint, complain, firstComplaint, type Rule, type Subject, unknownKey } from "./rule.ts";

/** What the Responses API refuses. */
export const responsesRules: readonly Rule[] = [
  { id: "responses/fields", check: knowsFields },
  { id: "responses/input", check: hasInput },
  { id: "responses/item-type", check: eachItem(hasKnownType) },
  { id: "responses/item-fields", check: knowsItemFields },
  { id: "responses/role", check: eachItem(hasKnownRole) },
  { id: "responses/content-type", check: eachItem(hasKnownParts) },
  { id: "responses/item-id", check: eachItem(hasMatchingId) },
  { id: "responses/item-duplicate", check: idsAreUnique },
  { id: "responses/call", check: eachItem(callIsWellFormed) },
  { id: "responses/output", check: eachItem(outputIsText) },
  { id: "responses/output-orphan", check: outputsHaveCalls },
  { id: "responses/call-unanswered", check: callsHaveOutputs },
  ...reasoningRules,
  ...toolRules("responses"),
  { id: "responses/max-output-tokens", check: outputLimitIsEnough },
  { id: "responses/previous-response", check: hasNoUnknownPrevious },
  { id: "responses/codex-backend", isOptIn: true, check: suitsCodexBackend },
];

const bodyFields =
  "model instructions input tools tool_choice parallel_tool_calls store stream stream_options include reasoning prompt_cache_key prompt_cache_retention max_output_tokens max_tool_calls temperature top_p top_logprobs service_tier text truncation metadata previous_response_id conversation prompt background user safety_identifier context_management".split(
    " ",
  );
const itemFields: Readonly<Record<string, readonly string[]>> = {
  message: ["id", "role", "content", "status", "phase"],
  function_call: ["id", "call_id", "name", "arguments", "status"],
  function_call_output: ["id", "call_id", "output", "status"],
  reasoning: ["id", "summary", "content", "encrypted_content", "status"],
  item_reference: ["id"],
};
const idPrefixes: Readonly<Record<string, string>> = { message: "msg", function_call: "fc", reasoning: "rs" };
const inputParts = ["input_text", "input_image", "input_file"];
const outputParts = ["output_text", "refusal"];

function knowsFields({ body, extraFields }: Subject): Complaint | undefined {
  const key = unknownKey(body, [...bodyFields, ...extraFields]);
  return key === undefined ? undefined : complain(`Unknown parameter: '${key}'.`, key, "unknown_parameter");
}

function hasInput({ body }: Subject): Complaint | undefined {
  if (typeof body.input === "string" || listAt(body.input).length > 0) return undefined;
  return complain(
    "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.",
    "input",
    "missing_required_parameter",
  );
}

function hasKnownType(item: WireObject, { path }: ItemLocation): Complaint | undefined {
  if (typeOf(item) in itemFields) return undefined;
  const list = Object.keys(itemFields)
    .map((name) => `'${name}'`)
    .join(", ");
  return complain(
    `Invalid value: '${String(item.type)}'. Supported values are: ${list}.`,
    `${path}.type`,
    "invalid_value",
  );
}

function knowsItemFields(subject: Subject): Complaint | undefined {
  return eachItem((item, { path }) => {
    const key = unknownKey(item, ["type", ...(itemFields[typeOf(item)] ?? []), ...subject.extraMessageFields]);
    if (key === undefined) return undefined;
    return complain(`Unknown parameter: '${path}.${key}'.`, `${path}.${key}`, "unknown_parameter");
  })(subject);
}

function hasKnownRole(item: WireObject, { path }: ItemLocation): Complaint | undefined {
  if (typeOf(item) !== "message" || ["user", "assistant", "system", "developer"].includes(stringAt(item.role)))
    return undefined;
  return complain(
    `Invalid value: '${String(item.role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
    `${path}.role`,
    "invalid_value",
  );
}

function hasKnownParts(item: WireObject, { path }: ItemLocation): Complaint | undefined {
  if (typeOf(item) !== "message" || typeof item.content === "string") return undefined;
  const param = `${path}.content`;
  if (!Array.isArray(item.content))
    return complain(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
  const allowed = item.role === "assistant" ? outputParts : inputParts;
  return firstComplaint(objectsIn(item.content), ({ type }, index) => {
    if (allowed.includes(stringAt(type))) return undefined;
    const list = allowed.map((name) => `'${name}'`).join(", ");
    return complain(
      `Invalid value: '${String(type)}'. Supported values are: ${list}.`,
      `${param}[${index}].type`,
      "invalid_value",
    );
  });
}

function hasMatchingId(item: WireObject, { path }: ItemLocation): Complaint | undefined {
  const prefix = idPrefixes[typeOf(item)];
  if (prefix === undefined || item.id === undefined || stringAt(item.id).startsWith(prefix === "fc" ? "fc_" : prefix))
    return undefined;
  return complain(
    `Invalid '${path}.id': '${String(item.id)}'. Expected an ID that begins with '${prefix}'.`,
    `${path}.id`,
    "invalid_value",
  );
}

function idsAreUnique(subject: Subject): Complaint | undefined {
  const seen = new Set<string>();
  return eachItem((item) => {
    const keys = [item.id, typeOf(item) === "function_call" ? `call ${stringAt(item.call_id)}` : undefined];
    const known = keys.filter((key): key is string => typeof key === "string");
    const repeated = known.find((key) => seen.has(key));
    for (const key of known) seen.add(key);
    if (repeated === undefined) return undefined;
    const id = repeated.replace(/^call /, "");
    return complain(
      `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
      "input",
    );
  })(subject);
}

function callIsWellFormed(item: WireObject, { path }: ItemLocation): Complaint | undefined {
  if (typeOf(item) !== "function_call") return undefined;
  if (stringAt(item.call_id) === "")
    return complain(`Missing required parameter: '${path}.call_id'.`, `${path}.call_id`, "missing_required_parameter");
  if (typeof item.arguments !== "string")
    return complain(
      `Invalid type for '${path}.arguments': expected a string, but got an object instead.`,
      `${path}.arguments`,
      "invalid_type",
    );
  return nameComplaint(stringAt(item.name), `${path}.name`);
}

function outputIsText(item: WireObject, { path }: ItemLocation): Complaint | undefined {
  if (typeOf(item) !== "function_call_output" || typeof item.output === "string") return undefined;
  const param = `${path}.output`;
  if (!Array.isArray(item.output))
    return complain(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
  const wrong = objectsIn(item.output).find(({ type }) => !inputParts.includes(stringAt(type)));
  if (wrong === undefined) return undefined;
  return complain(
    `Invalid value: '${String(wrong.type)}'. Supported values are: 'input_text', 'input_image', 'input_file'.`,
    param,
    "invalid_value",
  );
}

function callIdsOf({ body }: Subject, type: string): ReadonlySet<string> {
  const items = objectsIn(body.input).filter((item) => typeOf(item) === type);
  return new Set(items.map((item) => stringAt(item.call_id)));
}

function outputsHaveCalls(subject: Subject): Complaint | undefined {
  const calls = new Set<string>();
  const answered = new Set<string>();
  return eachItem((item) => {
    const id = stringAt(item.call_id);
    if (typeOf(item) === "function_call") calls.add(id);
    if (typeOf(item) !== "function_call_output") return undefined;
    if (!calls.has(id)) return complain(`No tool call found for function call output with call_id ${id}.`, "input");
    if (answered.has(id)) return complain(`Duplicate function call output found for call_id ${id}.`, "input");
    answered.add(id);
    return undefined;
  })(subject);
}

function callsHaveOutputs(subject: Subject): Complaint | undefined {
  const outputs = callIdsOf(subject, "function_call_output");
  const missing = [...callIdsOf(subject, "function_call")].find((id) => !outputs.has(id));
  return missing === undefined ? undefined : complain(`No tool output found for function call ${missing}.`, "input");
}

function outputLimitIsEnough({ body }: Subject): Complaint | undefined {
  const limit = body.max_output_tokens;
  if (typeof limit !== "number" || limit >= 16) return undefined;
  return complain(
    `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${limit} instead.`,
    "max_output_tokens",
    "integer_below_min_value",
  );
}

/** This server stores no responses, so none can be continued by id. */
function hasNoUnknownPrevious({ body }: Subject): Complaint | undefined {
  const id = body.previous_response_id;
  if (id === undefined || id === null) return undefined;
  return complain(
    `Previous response with id '${String(id)}' not found.`,
    "previous_response_id",
    "previous_response_not_found",
  );
}

function suitsCodexBackend({ body }: Subject): Complaint | undefined {
  if (stringAt(body.instructions) === "") return complain("Instructions are required");
  if (body.store !== false) return complain("Store must be set to false");
  if (body.stream !== true) return complain("Stream must be set to true");
  if (body.max_output_tokens !== undefined) return complain("Unsupported parameter: max_output_tokens");
  return undefined;
}
