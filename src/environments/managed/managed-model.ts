import { type Message, newToolCall, type ToolDefinition } from "#conversation";
import { describe } from "#foundation/errors";
import { type AttemptEvent, getParser, localFailure, type ModelRequest, type Models } from "#model";
import type { Sequence } from "../tokens/sequence.ts";
import type { ModelTokenizer } from "../tokens/tokenizer.ts";
import { promptRenderer, type RenderPrompt } from "./chat-prompt.ts";
import { ChatRollout } from "./chat-rollout.ts";
import { type Generated, generate } from "./generate.ts";
import { type PositionScores, scorePrompt, scoresPrompts } from "./prompt-scores.ts";
import { SequenceTracker, type TokenCall } from "./sequence-tracker.ts";
import type { TokenServer } from "./token-server.ts";

export interface ManagedOptions {
  readonly models: Models;
  readonly server: TokenServer;
  /** Undefined where the server renders prompts itself and tells their ids. */
  readonly tokenizer: ModelTokenizer | undefined;
  readonly thinkingMode: boolean;
  readonly usualMaxTokens: number;
}

/** A model whose exact tokens are known. */
export interface ManagedModel {
  /** For one rollout; its calls come one after the other. */
  open(parser: string): ManagedSession;
  /** What the model would have written in place of a reply, token by token; undefined where the server cannot tell. */
  readonly scoreReply?: ((question: ReplyQuestion, signal: AbortSignal) => Promise<ScoredReply>) | undefined;
}

export interface ReplyQuestion {
  readonly system: string;
  /** What stands before the reply. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly reply: string;
  readonly topK: number;
}

export interface ScoredReply {
  readonly ids: readonly number[];
  /** As many as ids. */
  readonly scores: readonly PositionScores[];
}

export interface ManagedSession {
  /** The models of the program, with this one's calls led past the provider's chat interface. */
  readonly models: Models;
  /** The tokens so far; undefined before the first answer. */
  sequence(): Sequence | undefined;
  /** How often a prompt did not go on with what was known. */
  readonly breaks: number;
  readonly calls: readonly TokenCall[];
}

export function managedModel(options: ManagedOptions): ManagedModel {
  const { tokenizer: own } = options;
  return {
    scoreReply: own === undefined || !scoresPrompts(options.server.server_type) ? undefined : replyScorer(options, own),
    open: (parserName) => {
      const { tokenizer, server, usualMaxTokens } = options;
      const rollout =
        tokenizer === undefined || server.token_source === "chat"
          ? new ChatRollout(server, { usualMaxTokens, thinkingMode: options.thinkingMode })
          : new ManagedRollout({ ...options, tokenizer }, parserName);
      const models: Models = { ...options.models, stream: (request, signal) => rollout.stream(request, signal) };
      return {
        models,
        sequence: () => rollout.tracker.last,
        get breaks() {
          return rollout.tracker.breaks;
        },
        get calls() {
          return rollout.tracker.calls;
        },
      };
    },
  };
}

function replyScorer({ server }: ManagedOptions, tokenizer: ModelTokenizer): NonNullable<ManagedModel["scoreReply"]> {
  let renderer: Promise<RenderPrompt> | undefined;
  return async ({ system, messages, tools, reply, topK }, signal) => {
    renderer ??= promptRenderer(tokenizer, { dropsThoughts: false, rawTextOf: () => undefined });
    const prompt = (await renderer)({ system, messages, tools });
    const before = encodePrompt(tokenizer, prompt, true);
    const ids = tokenizer.encode(reply, { hasSpecialTokens: false });
    const scores = await scorePrompt(server, { ids: [...before, ...ids], topK }, signal);
    return { ids, scores: scores.slice(before.length) };
  };
}

/** A template may write the beginning of a prompt that the tokenizer adds, too: one is enough. */
function encodePrompt(tokenizer: ModelTokenizer, text: string, isBeginning: boolean): readonly number[] {
  const ids = tokenizer.encode(text, { hasSpecialTokens: isBeginning });
  const { beginId } = tokenizer;
  return beginId !== undefined && ids[0] === beginId && ids[1] === beginId ? ids.slice(1) : ids;
}

type RenderingOptions = ManagedOptions & { readonly tokenizer: ModelTokenizer };

class ManagedRollout {
  readonly tracker = new SequenceTracker();
  readonly #options: RenderingOptions;
  readonly #parser: ReturnType<typeof getParser>;
  /** What the model wrote, by the first call that was found in it. */
  readonly #rawTexts = new Map<string, string>();
  #render: Promise<RenderPrompt> | undefined;

  constructor(options: RenderingOptions, parser: string) {
    this.#options = options;
    this.#parser = getParser(parser);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<AttemptEvent, void> {
    yield { type: "attempt-start", model: request.target.model };
    try {
      const { text, ids, inputs, finish } = await this.#sample(request, signal);
      yield* this.#events(request, { text, finish });
      const usage = { input: inputs, output: ids, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
      yield { type: "usage", usage };
    } catch (error) {
      signal.throwIfAborted();
      yield {
        type: "attempt-failed",
        failure: localFailure("server_error", request.target, { message: describe(error) }),
      };
    }
  }

  async #sample(request: ModelRequest, signal: AbortSignal) {
    const { tokenizer, server, thinkingMode, usualMaxTokens } = this.#options;
    this.#render ??= promptRenderer(tokenizer, {
      dropsThoughts: thinkingMode,
      rawTextOf: (message) => this.#rawTextOf(message),
    });
    const prompt = (await this.#render)(request);
    const input = this.tracker.inputFor(prompt, (text, isBeginning) => encodePrompt(tokenizer, text, isBeginning));
    const generated: Generated = await generate(
      server,
      {
        ids: input,
        maxTokens: request.options.maxOutputTokens ?? usualMaxTokens,
        temperature: request.options.temperature ?? 1,
      },
      signal,
    );
    // Tags of tool calls may be special tokens, so they are kept; what ends a reply is not part of it.
    const decoded = tokenizer.decode(generated.ids, { skipsSpecialTokens: request.tools.length === 0 });
    this.tracker.add(prompt, input, { ids: generated.ids, logprobs: generated.logprobs, text: decoded });
    return {
      text: withoutEnd(decoded, tokenizer.specialTokens["eos_token"]),
      ids: generated.ids.length,
      inputs: input.length,
      finish: generated.finish,
    };
  }

  *#events(request: ModelRequest, { text, finish }: { readonly text: string; readonly finish: "stop" | "length" }) {
    const found =
      request.tools.length === 0
        ? { content: text, tool_calls: null }
        : this.#parser.parse(text, { finishReason: finish });
    const calls = (found.tool_calls ?? []).map(({ id, function: called }) =>
      newToolCall({ id, name: called.name, arguments: called.arguments }),
    );
    const [first] = calls;
    if (first !== undefined) this.#rawTexts.set(first.id, text);
    const content = found.content ?? "";
    if (content !== "") {
      yield { type: "text-start" } as const;
      yield { type: "text-delta", text: content } as const;
      yield { type: "text-end" } as const;
    }
    for (const [index, call] of calls.entries()) yield { type: "tool-call", index, call } as const;
    const reason = calls.length > 0 ? "tool_calls" : finish;
    yield { type: "attempt-end", finish: reason } as const;
  }

  #rawTextOf(message: Message): string | undefined {
    const id = message.role === "assistant" ? message.tool_calls?.[0]?.id : undefined;
    return id === undefined ? undefined : this.#rawTexts.get(id);
  }
}

function withoutEnd(text: string, end: string | undefined): string {
  return end !== undefined && text.endsWith(end) ? text.slice(0, -end.length) : text;
}
