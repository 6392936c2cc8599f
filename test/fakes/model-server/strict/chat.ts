import { listAt, objectAt, objectsIn, stringAt, type WireObject } from "../wire-object.ts";
import { pairingRules } from "./chat-pairing.ts";
import { nameComplaint, toolRules } from "./openai-tools.ts";
import { type Check, type Complaint, complain, firstComplaint, type Rule, type Subject, unknownKey } from "./rule.ts";

/** What chat-completions servers refuse; the strictest common reading of OpenAI and its compatibles. */
export const chatRules: readonly Rule[] = [
  { id: "chat/fields", check: knowsFields },
  { id: "chat/messages", check: hasMessages },
  { id: "chat/role", check: eachMessage(hasKnownRole) },
  { id: "chat/first-role", check: beginsWithUser },
  { id: "chat/message-fields", check: knowsMessageFields },
  { id: "chat/content", check: eachMessage(hasContent) },
  { id: "chat/part-type", check: eachMessage(hasKnownParts) },
  { id: "chat/tool-calls-empty", check: eachMessage(hasNoEmptyCalls) },
  { id: "chat/tool-call-fields", check: eachCall(callFields) },
  { id: "chat/tool-call-id", check: eachCall(callId) },
  { id: "chat/tool-call-name", check: eachCall(callName) },
  { id: "chat/arguments-string", check: eachCall(argumentsAreText) },
  { id: "chat/arguments-json", check: eachCall(argumentsAreJson) },
  ...pairingRules,
  ...toolRules("chat"),
  { id: "chat/stream-options", check: streamOptionsNeedStream },
  { id: "chat/extra-content", check: extraContentReturns },
  { id: "chat/reasoning-details", check: eachMessage(reasoningDetailsAreIssued) },
  { id: "chat/alternation", isOptIn: true, check: rolesAlternate },
  { id: "chat/reasoning-content", isOptIn: true, check: eachMessage(reasoningContentReturns) },
];

const roles = ["system", "assistant", "user", "function", "tool", "developer"];
const messageFields =
  "role content name tool_calls tool_call_id function_call refusal audio reasoning_content reasoning_details cache_control".split(
    " ",
  );
const bodyFields =
  "model messages tools tool_choice parallel_tool_calls stream stream_options max_tokens max_completion_tokens temperature top_p n stop presence_penalty frequency_penalty logit_bias logprobs top_logprobs response_format seed user safety_identifier service_tier store metadata reasoning_effort verbosity modalities audio prediction prompt_cache_key prompt_cache_retention web_search_options functions function_call".split(
    " ",
  );
/** Routers and reasoning services that speak this wire accept these on top. */
export const openrouterFields =
  "provider reasoning transforms plugins models route usage include_reasoning top_k min_p top_a repetition_penalty cache_control session_id".split(
    " ",
  );

interface Location {
  readonly subject: Subject;
  readonly path: string;
}

function eachMessage(check: (message: WireObject, location: Location) => Complaint | undefined): Check {
  return (subject) =>
    firstComplaint(objectsIn(subject.body.messages), (message, index) =>
      check(message, { subject, path: `messages[${index}]` }),
    );
}

function eachCall(check: (call: WireObject, location: Location) => Complaint | undefined): Check {
  return eachMessage((message, { subject, path }) =>
    firstComplaint(objectsIn(message.tool_calls), (call, index) =>
      check(call, { subject, path: `${path}.tool_calls[${index}]` }),
    ),
  );
}

function knowsFields({ body, extraFields }: Subject): Complaint | undefined {
  const field = unknownKey(body, [...bodyFields, ...extraFields]);
  return field === undefined ? undefined : complain(`Unrecognized request argument supplied: ${field}`);
}

function hasMessages({ body }: Subject): Complaint | undefined {
  if (body.messages === undefined)
    return complain("Missing required parameter: 'messages'.", "messages", "missing_required_parameter");
  return listAt(body.messages).length > 0 ? undefined : emptyArray("messages");
}

function hasKnownRole({ role }: WireObject, { path }: Location): Complaint | undefined {
  if (roles.includes(stringAt(role))) return undefined;
  return complain(
    `Invalid value: '${String(role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
    `${path}.role`,
    "invalid_value",
  );
}

function beginsWithUser({ body }: Subject): Complaint | undefined {
  const messages = objectsIn(body.messages);
  const index = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const role = messages[index]?.role;
  // A tool result out of place is the pairing rules' business and has a text of its own.
  if (index < 0 || role === "user" || role === "tool") return undefined;
  return complain(
    `The first message that is not a system message must have role 'user', but got '${String(role)}'.`,
    `messages[${index}].role`,
  );
}

function knowsMessageFields(subject: Subject): Complaint | undefined {
  return eachMessage((message, { path }) =>
    unknownParameter(message, path, [...messageFields, ...subject.extraMessageFields]),
  )(subject);
}

function hasContent({ role, content, tool_calls }: WireObject, { path }: Location): Complaint | undefined {
  const mayBeAbsent = role === "assistant" && listAt(tool_calls).length > 0;
  if (content === undefined || content === null) {
    if (mayBeAbsent || role === "function") return undefined;
    return complain("Invalid value for 'content': expected a string, got null.", `${path}.content`);
  }
  if (typeof content !== "string" && !Array.isArray(content))
    return complain(
      `Invalid type for '${path}.content': expected one of a string or array of objects, but got an object instead.`,
      `${path}.content`,
      "invalid_type",
    );
  if (role !== "user" || content.length > 0) return undefined;
  return complain(`Invalid request: the message at ${path} with role 'user' must not be empty`, `${path}.content`);
}

function hasKnownParts({ role, content }: WireObject, { path }: Location): Complaint | undefined {
  const allowed =
    role === "user"
      ? ["text", "image_url", "input_audio", "file"]
      : role === "assistant"
        ? ["text", "refusal"]
        : ["text"];
  return firstComplaint(objectsIn(content), ({ type }, index) => {
    if (allowed.includes(stringAt(type))) return undefined;
    if (type === "image_url")
      return complain(
        `Invalid '${path}'. Image URLs are only allowed for messages with role 'user', but this message with role '${String(role)}' contains an image URL.`,
        path,
        "invalid_value",
      );
    const list = allowed.map((name) => `'${name}'`).join(", ");
    return complain(
      `Invalid value: '${String(type)}'. Supported values are: ${list}.`,
      `${path}.content[${index}].type`,
      "invalid_value",
    );
  });
}

function hasNoEmptyCalls({ tool_calls }: WireObject, { path }: Location): Complaint | undefined {
  if (tool_calls === undefined || listAt(tool_calls).length > 0) return undefined;
  return emptyArray(`${path}.tool_calls`);
}

function callFields(call: WireObject, { path }: Location): Complaint | undefined {
  return (
    unknownParameter(call, path, ["id", "type", "function", "extra_content"]) ??
    unknownParameter(objectAt(call.function), `${path}.function`, ["name", "arguments"])
  );
}

function callId({ id }: WireObject, { path }: Location): Complaint | undefined {
  if (typeof id !== "string" || id === "")
    return complain(`Missing required parameter: '${path}.id'.`, `${path}.id`, "missing_required_parameter");
  if (id.length <= 40) return undefined;
  return complain(
    `Invalid '${path}.id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
    `${path}.id`,
    "string_above_max_length",
  );
}

function callName(call: WireObject, { path }: Location): Complaint | undefined {
  return nameComplaint(stringAt(objectAt(call.function).name), `${path}.function.name`);
}

function argumentsAreText(call: WireObject, { path }: Location): Complaint | undefined {
  const value = objectAt(call.function).arguments;
  if (typeof value === "string") return undefined;
  const found = value === undefined || value === null ? "null" : Array.isArray(value) ? "an array" : "an object";
  const param = `${path}.function.arguments`;
  return complain(`Invalid type for '${param}': expected a string, but got ${found} instead.`, param, "invalid_type");
}

function argumentsAreJson(call: WireObject, { path }: Location): Complaint | undefined {
  const param = `${path}.function.arguments`;
  try {
    JSON.parse(stringAt(objectAt(call.function).arguments));
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError)
      return complain(`Invalid '${param}': the string is not valid JSON.`, param, "invalid_value");
    throw error;
  }
}

function streamOptionsNeedStream({ body }: Subject): Complaint | undefined {
  if (body.stream_options === undefined || body.stream_options === null || body.stream === true) return undefined;
  return complain("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
}

/** Gemini refuses a call of its own that comes back without its thought signature. */
function extraContentReturns(subject: Subject): Complaint | undefined {
  return eachCall((call, { path }) => {
    const issued = subject.issued.call(stringAt(call.id))?.extraContent;
    if (issued === undefined || JSON.stringify(issued) === JSON.stringify(call.extra_content)) return undefined;
    return complain(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`${stringAt(objectAt(call.function).name)}\`.`,
      path,
    );
  })(subject);
}

function reasoningDetailsAreIssued(message: WireObject, { subject, path }: Location): Complaint | undefined {
  return firstComplaint(objectsIn(message.reasoning_details), ({ signature, data }, index) => {
    const isForged = typeof signature === "string" && subject.issued.textSignedBy(signature) === undefined;
    const isUnknown = typeof data === "string" && !subject.issued.isEncrypted(data) && !subject.issued.isRedacted(data);
    if (!isForged && !isUnknown) return undefined;
    return complain(`${path}.reasoning_details[${index}]: Invalid \`signature\` in \`thinking\` block`);
  });
}

function rolesAlternate({ body }: Subject): Complaint | undefined {
  const messages = objectsIn(body.messages);
  return firstComplaint(messages, ({ role }, index) => {
    const repeats = index > 0 && messages[index - 1]?.role === role && (role === "user" || role === "assistant");
    return repeats
      ? complain("Conversation roles must alternate user/assistant/user/assistant/...", `messages[${index}].role`)
      : undefined;
  });
}

/** DeepSeek and Kimi while thinking. */
function reasoningContentReturns(message: WireObject, { path }: Location): Complaint | undefined {
  const needs = message.role === "assistant" && listAt(message.tool_calls).length > 0;
  if (!needs || typeof message.reasoning_content === "string") return undefined;
  return complain("The reasoning_content in the thinking mode must be passed back to the API.", path);
}

function unknownParameter(object: WireObject, path: string, known: readonly string[]): Complaint | undefined {
  const key = unknownKey(object, known);
  if (key === undefined) return undefined;
  return complain(`Unknown parameter: '${path}.${key}'.`, `${path}.${key}`, "unknown_parameter");
}

function emptyArray(path: string): Complaint {
  return complain(
    `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    path,
    "empty_array",
  );
}
