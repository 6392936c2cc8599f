import { describe } from "#foundation/errors";
import { type AttemptEvent, localFailure, type ModelRequest } from "#model";
import { type ChatSample, sampleChat, type TokenFields } from "./chat-source.ts";
import { SequenceTracker } from "./sequence-tracker.ts";
import type { TokenServer } from "./token-server.ts";

/** One rollout with a chat server that tells its tokens: each prompt is followed by the ids it was read as. */
export class ChatRollout {
  readonly tracker = new SequenceTracker();
  readonly #server: TokenServer;
  readonly #options: { readonly usualMaxTokens: number; readonly thinkingMode: boolean };
  /** Of replies whose server wants their tokens back, as they came. */
  readonly #fields = new Map<string, TokenFields>();

  constructor(server: TokenServer, options: { readonly usualMaxTokens: number; readonly thinkingMode: boolean }) {
    this.#server = server;
    this.#options = options;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<AttemptEvent, void> {
    yield { type: "attempt-start", model: request.target.model };
    try {
      const { usualMaxTokens, thinkingMode } = this.#options;
      const maxTokens = request.options.maxOutputTokens ?? usualMaxTokens;
      const fieldsOf = (key: string) => this.#fields.get(key);
      const sampled = await sampleChat(this.#server, { ...request, maxTokens, thinkingMode, fieldsOf }, signal);
      const { input, ids, logprobs } = sampled;
      if (sampled.fields !== undefined) this.#fields.set(sampled.calls[0]?.id ?? sampled.text, sampled.fields);
      this.tracker.add("", input, { ids, logprobs, text: "" });
      yield* events(sampled);
      const usage = { input: input.length, output: ids.length, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
      yield { type: "usage", usage };
    } catch (error) {
      signal.throwIfAborted();
      const failure = localFailure("server_error", request.target, { message: describe(error) });
      yield { type: "attempt-failed", failure };
    }
  }
}

function* events({ text, reasoning, calls, finish }: ChatSample): Generator<AttemptEvent, void> {
  if (reasoning !== "") {
    yield { type: "reasoning-start" };
    yield { type: "reasoning-delta", text: reasoning };
    yield { type: "reasoning-end" };
  }
  if (text !== "") {
    yield { type: "text-start" };
    yield { type: "text-delta", text };
    yield { type: "text-end" };
  }
  for (const [index, call] of calls.entries()) yield { type: "tool-call", index, call };
  yield { type: "attempt-end", finish: calls.length > 0 ? "tool_calls" : finish };
}
