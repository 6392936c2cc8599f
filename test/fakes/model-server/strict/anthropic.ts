import { isObject, objectAt, objectsIn, stringAt, type WireObject } from "../wire-object.ts";
import { type AnthropicMessage, type BlockLocation, eachBlock, eachMessage, messagesOf } from "./anthropic-blocks.ts";
import { cacheMarkRules } from "./anthropic-cache-marks.ts";
import { pairingRules } from "./anthropic-pairing.ts";
import { thinkingRules } from "./anthropic-thinking.ts";
import { type Complaint, complain, firstComplaint, type Rule, type Subject, unknownKey } from "./rule.ts";

/** What the Messages API refuses. */
export const anthropicRules: readonly Rule[] = [
  { id: "anthropic/version", check: hasVersion },
  { id: "anthropic/fields", check: knowsFields },
  { id: "anthropic/max-tokens", check: hasMaxTokens },
  { id: "anthropic/messages", check: hasMessages },
  { id: "anthropic/role", check: eachMessage(hasKnownRole) },
  { id: "anthropic/first-role", check: beginsWithUser },
  { id: "anthropic/alternation", check: rolesAlternate },
  { id: "anthropic/message-fields", check: knowsMessageFields },
  { id: "anthropic/content", check: eachMessage(hasContent) },
  { id: "anthropic/block-type", check: eachBlock(hasKnownType) },
  { id: "anthropic/block-fields", check: eachBlock(knowsBlockFields) },
  { id: "anthropic/block-role", check: eachBlock(standsWithItsRole) },
  { id: "anthropic/image", check: eachBlock(hasReadableImage) },
  { id: "anthropic/text-empty", check: eachBlock(textIsNotEmpty) },
  { id: "anthropic/text-blank", check: eachBlock(textIsNotBlank) },
  { id: "anthropic/trailing-whitespace", check: lastTextIsTrimmed },
  { id: "anthropic/system", check: systemIsText },
  ...pairingRules,
  { id: "anthropic/tools", check: toolsAreWellFormed },
  { id: "anthropic/tools-unique", check: toolNamesAreUnique },
  ...thinkingRules,
  ...cacheMarkRules,
];

const bodyFields =
  "model messages max_tokens system tools tool_choice thinking output_config stream temperature top_p top_k stop_sequences metadata service_tier speed container context_management mcp_servers betas inference_geo".split(
    " ",
  );
const blockFields: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "citations", "cache_control"],
  image: ["source", "cache_control"],
  document: ["source", "title", "context", "citations", "cache_control"],
  tool_use: ["id", "name", "input", "caller", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
  // A mark on these has a rule with a text of its own.
  thinking: ["thinking", "signature", "cache_control"],
  redacted_thinking: ["data", "cache_control"],
};
const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];

function hasVersion({ request }: Subject): Complaint | undefined {
  return request.headers["anthropic-version"] === undefined
    ? complain("anthropic-version: header is required")
    : undefined;
}

function knowsFields({ body, extraFields }: Subject): Complaint | undefined {
  return extraInput(body, "", [...bodyFields, ...extraFields]);
}

function hasMaxTokens({ body }: Subject): Complaint | undefined {
  if (body.max_tokens === undefined) return complain("max_tokens: Field required");
  if (Number.isInteger(body.max_tokens) && Number(body.max_tokens) >= 1) return undefined;
  return complain("max_tokens: must be greater than or equal to 1");
}

function hasMessages({ body }: Subject): Complaint | undefined {
  if (body.messages === undefined) return complain("messages: Field required");
  return objectsIn(body.messages).length > 0 ? undefined : complain("messages: at least one message is required");
}

function hasKnownRole({ role, path }: AnthropicMessage): Complaint | undefined {
  if (role === "user" || role === "assistant") return undefined;
  if (role === "system")
    return complain(
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    );
  return complain(`${path}.role: Input should be 'user' or 'assistant'`);
}

function beginsWithUser(subject: Subject): Complaint | undefined {
  return messagesOf(subject)[0]?.role === "user"
    ? undefined
    : complain('messages: first message must use the "user" role');
}

function rolesAlternate(subject: Subject): Complaint | undefined {
  const messages = messagesOf(subject);
  return firstComplaint(messages, ({ role }, index) => {
    if (index === 0 || messages[index - 1]?.role !== role) return undefined;
    return complain(
      `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
    );
  });
}

function knowsMessageFields({ body, extraMessageFields }: Subject): Complaint | undefined {
  return firstComplaint(objectsIn(body.messages), (message, index) =>
    extraInput(message, `messages.${index}.`, ["role", "content", ...extraMessageFields]),
  );
}

function hasContent(message: AnthropicMessage): Complaint | undefined {
  if (typeof message.content !== "string" && !Array.isArray(message.content))
    return complain(`${message.path}.content: Input should be a valid list`);
  if (message.content.length > 0 || (message.isLast && message.role === "assistant")) return undefined;
  return complain(
    `${message.path}: all messages must have non-empty content except for the optional final assistant message`,
  );
}

function hasKnownType({ type }: WireObject, { path }: BlockLocation): Complaint | undefined {
  if (typeof type === "string" && type in blockFields) return undefined;
  const tags = Object.keys(blockFields)
    .map((tag) => `'${tag}'`)
    .join(", ");
  return complain(
    `${path}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: ${tags}`,
  );
}

function knowsBlockFields(block: WireObject, { path }: BlockLocation): Complaint | undefined {
  const type = stringAt(block.type);
  return extraInput(block, `${path}.${type}.`, ["type", ...(blockFields[type] ?? [])]);
}

function standsWithItsRole({ type }: WireObject, { message, path }: BlockLocation): Complaint | undefined {
  const only =
    type === "tool_result" || type === "image" || type === "document"
      ? "user"
      : type === "tool_use" || type === "thinking" || type === "redacted_thinking"
        ? "assistant"
        : message.role;
  if (only === message.role) return undefined;
  return complain(`${path}: \`${String(type)}\` blocks can only be in \`${only}\` messages`);
}

function hasReadableImage(block: WireObject, { path }: BlockLocation): Complaint | undefined {
  if (block.type !== "image") return undefined;
  const source = objectAt(block.source);
  if (source.type === "url")
    return typeof source.url === "string" ? undefined : complain(`${path}.image.source.url.url: Field required`);
  if (source.type !== "base64")
    return complain(
      `${path}.image.source: Input tag '${String(source.type)}' found using 'type' does not match any of the expected tags: 'base64', 'url', 'file'`,
    );
  if (!imageTypes.includes(stringAt(source.media_type)))
    return complain(
      `${path}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    );
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(stringAt(source.data))) return undefined;
  return complain(`${path}.image.source.base64.data: Invalid base64 data`);
}

function textIsNotEmpty({ type, text }: WireObject): Complaint | undefined {
  return type === "text" && text === "" ? complain("messages: text content blocks must be non-empty") : undefined;
}

function textIsNotBlank({ type, text }: WireObject): Complaint | undefined {
  const isBlank = type === "text" && stringAt(text) !== "" && stringAt(text).trim() === "";
  return isBlank ? complain("messages: text content blocks must contain non-whitespace text") : undefined;
}

function lastTextIsTrimmed(subject: Subject): Complaint | undefined {
  const last = messagesOf(subject).at(-1);
  const text = last?.role === "assistant" ? stringAt(last.blocks.at(-1)?.text) : "";
  if (text === text.trimEnd()) return undefined;
  return complain("messages: final assistant content cannot end with trailing whitespace");
}

function systemIsText({ body }: Subject): Complaint | undefined {
  const { system } = body;
  if (system === undefined || typeof system === "string") return undefined;
  if (!Array.isArray(system)) return complain("system: Input should be a valid list");
  return firstComplaint(objectsIn(system), (block, index) => {
    if (block.type !== "text") return complain(`system.${index}.type: Input should be 'text'`);
    if (stringAt(block.text) === "") return complain("system: text content blocks must be non-empty");
    return extraInput(block, `system.${index}.`, ["type", "text", "citations", "cache_control"]);
  });
}

function toolsAreWellFormed({ body }: Subject): Complaint | undefined {
  return firstComplaint(objectsIn(body.tools), (tool, index) => {
    // Versioned server tools (`web_search_20250305`) carry a type and no schema.
    if (tool.type !== undefined && tool.type !== "custom") return undefined;
    const path = `tools.${index}.custom`;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(stringAt(tool.name)))
      return complain(`${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (!isObject(tool.input_schema)) return complain(`${path}.input_schema: Field required`);
    if (tool.input_schema.type !== "object") return complain(`${path}.input_schema.type: Input should be 'object'`);
    if (["oneOf", "allOf", "anyOf"].some((key) => key in objectAt(tool.input_schema)))
      return complain(`${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`);
    return extraInput(
      tool,
      `${path}.`,
      "type name description input_schema cache_control strict defer_loading allowed_callers eager_input_streaming input_examples".split(
        " ",
      ),
    );
  });
}

function toolNamesAreUnique({ body }: Subject): Complaint | undefined {
  const names = objectsIn(body.tools).map((tool) => tool.name);
  return new Set(names).size === names.length ? undefined : complain("tools: Tool names must be unique.");
}

function extraInput(object: WireObject, prefix: string, known: readonly string[]): Complaint | undefined {
  const key = unknownKey(object, known);
  return key === undefined ? undefined : complain(`${prefix}${key}: Extra inputs are not permitted`);
}
