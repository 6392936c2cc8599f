import type { Message, ToolDefinition } from "#conversation";
import type { Block } from "./anthropic-messages/wire.ts";
import type { ConverseBlock } from "./bedrock-converse/wire.ts";
import type { ChatMessage } from "./chat-completions/wire.ts";
import type { GeminiPart } from "./gemini/wire.ts";
import type { InputItem } from "./responses/wire.ts";
import { JsonText, jsonText } from "./shared/body.ts";
import type { NormalForms } from "./shared/history.ts";
import { JoinedTexts } from "./shared/joined-texts.ts";
import { FormsByFacts } from "./shared/wire-form.ts";
import type { TurnTexts } from "./shared/wire-turns.ts";

/**
 * What became of messages and tools in earlier requests, so that a request of a long session is joined from
 * known pieces instead of being written anew. It decides nothing: with or without it the bytes are the same.
 *
 * 1. Messages, tools and lists of tools are immutable and known by identity; what nobody holds any more is forgotten.
 * 2. Everything else that goes into a piece is part of the key: facts about the target, surroundings of the message.
 */
export class LoweringMemory {
  /** Undefined when nothing is kept. */
  readonly normal: NormalForms | undefined;
  readonly chat: FormsByFacts<ChatMessage>;
  readonly anthropic: FormsByFacts<readonly Block[]>;
  readonly responses: FormsByFacts<readonly InputItem[]>;
  readonly gemini: FormsByFacts<readonly GeminiPart[]>;
  readonly converse: FormsByFacts<readonly ConverseBlock[]>;
  readonly texts: TurnTexts;
  readonly #tools: WeakMap<readonly ToolDefinition[], Map<string, JsonText>> | undefined;

  constructor({ keeps = true }: { readonly keeps?: boolean } = {}) {
    this.normal = keeps ? new WeakMap<Message, Message>() : undefined;
    this.#tools = keeps ? new WeakMap() : undefined;
    this.texts = { runs: new JoinedTexts(keeps), turns: new JoinedTexts(keeps) };
    this.chat = new FormsByFacts(keeps);
    this.anthropic = new FormsByFacts(keeps);
    this.responses = new FormsByFacts(keeps);
    this.gemini = new FormsByFacts(keeps);
    this.converse = new FormsByFacts(keeps);
  }

  /** The tools as one wire writes them. `facts`: the wire, and what of the target changes the way they are written. */
  tools(tools: readonly ToolDefinition[], facts: string, make: () => unknown): JsonText {
    const known = this.#tools?.get(tools)?.get(facts);
    if (known !== undefined) return known;
    const written = new JsonText(jsonText(make()) ?? "null");
    const byFacts = this.#tools?.get(tools) ?? new Map<string, JsonText>();
    this.#tools?.set(tools, byFacts.set(facts, written));
    return written;
  }
}

/** For a single request: writes everything and keeps nothing. */
export const forgetful = new LoweringMemory({ keeps: false });
