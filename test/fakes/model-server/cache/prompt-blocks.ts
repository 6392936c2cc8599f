import type { Protocol } from "../received-request.ts";
import { tokensInBytes } from "../tokens.ts";
import { isObject, listAt, objectsIn, type WireObject } from "../wire-object.ts";

export type CacheLifetime = "5m" | "1h";

/**
 * A prompt as a provider's cache sees it: a row of blocks in the order tools, system, messages. Marks are
 * taken off the content and kept beside it, because moving a mark does not change the prompt. A string and
 * one text part with the same words are the same block.
 */
export interface PromptBlock {
  readonly path: string;
  readonly value: unknown;
  /** JSON with keys in the order they were sent: another order is another prompt. */
  readonly text: string;
  readonly mark?: CacheLifetime;
  /** Settings that invalidate everything from here on without being part of the prompt's bytes. */
  readonly salt?: string;
}

export interface Prompt {
  readonly blocks: readonly PromptBlock[];
  readonly bytes: Buffer;
  readonly tokens: number;
}

export function readPrompt({ protocol, body }: { readonly protocol: Protocol; readonly body: WireObject }): Prompt {
  const blocks = promptBlocks(protocol, body);
  const bytes = Buffer.from(blocks.map((candidate) => candidate.text).join(""));
  return { blocks, bytes, tokens: tokensInBytes(bytes.length) };
}

function promptBlocks(protocol: Protocol, body: WireObject): readonly PromptBlock[] {
  const tools = objectsIn(body.tools).map((tool, index) => block(`tools[${index}]`, tool));
  switch (protocol) {
    case "anthropic":
      return [...tools, ...contentBlocks("system", body.system, {}), ...withSalt(anthropicMessages(body), body)];
    case "chat":
      return [...tools, ...objectsIn(body.messages).flatMap((message, index) => chatMessage(message, index))];
    case "responses":
      return [...tools, ...contentBlocks("instructions", body.instructions, {}), ...responsesItems(body)];
  }
}

/** The words of the first user message: what makes two requests the same conversation. */
export function openingOf(blocks: readonly PromptBlock[]): string {
  const first = blocks.find((candidate) => isObject(candidate.value) && candidate.value.role === "user");
  return first?.text ?? "";
}

function anthropicMessages(body: WireObject): readonly PromptBlock[] {
  return objectsIn(body.messages).flatMap((message, index) =>
    contentBlocks(`messages[${index}].content`, message.content, { role: message.role }),
  );
}

/** Changing these keeps tools and system cached and loses the messages. */
function withSalt(messages: readonly PromptBlock[], body: WireObject): readonly PromptBlock[] {
  const salt = JSON.stringify([body.tool_choice ?? null, body.thinking ?? null]);
  return messages.map((message, index) => (index === 0 ? { ...message, salt } : message));
}

function chatMessage(message: WireObject, index: number): readonly PromptBlock[] {
  const { role, content, tool_calls, cache_control, ...others } = message;
  const path = `messages[${index}]`;
  const head = { role, ...others };
  const blocks = [
    ...contentBlocks(`${path}.content`, content, head),
    ...listAt(tool_calls).map((call, at) => block(`${path}.tool_calls[${at}]`, { role, call })),
  ];
  const last = blocks.at(-1);
  const mark = markOf(cache_control);
  if (mark === undefined || last === undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, mark }];
}

function responsesItems(body: WireObject): readonly PromptBlock[] {
  if (typeof body.input === "string") return contentBlocks("input", body.input, { role: "user" });
  return objectsIn(body.input).flatMap((item, index) => {
    const path = `input[${index}]`;
    if (item.role === undefined) return [block(path, item)];
    const { content, type: _type, ...head } = item;
    return contentBlocks(`${path}.content`, content, head);
  });
}

function contentBlocks(path: string, content: unknown, head: WireObject): readonly PromptBlock[] {
  if (content === undefined || content === null || content === "") {
    return Object.keys(head).length > 1 ? [block(path, head)] : [];
  }
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
  return parts.map((part: WireObject, index) => {
    const { cache_control, ...rest } = part;
    const lead = index === 0 ? head : { role: head.role };
    return block(`${path}[${index}]`, { ...lead, ...plainText(rest), cache_control });
  });
}

/** `input_text`, `output_text` and `text` say the same thing. */
function plainText(part: WireObject): WireObject {
  return typeof part.text === "string" && Object.keys(part).length === 2 ? { text: part.text } : { part };
}

function block(path: string, source: WireObject): PromptBlock {
  const { cache_control, ...value } = source;
  const mark = markOf(cache_control);
  return { path, value, text: JSON.stringify(value), ...(mark === undefined ? {} : { mark }) };
}

function markOf(cacheControl: unknown): CacheLifetime | undefined {
  if (!isObject(cacheControl) || cacheControl.type !== "ephemeral") return undefined;
  return cacheControl.ttl === "1h" ? "1h" : "5m";
}
