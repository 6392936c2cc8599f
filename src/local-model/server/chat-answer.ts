import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { defined } from "#foundation/defined";
import type { ChatRequest } from "./chat-request.ts";
import type { Generated } from "./generate.ts";

/** While a long prompt is read, a line now and then shows that somebody is at work. */
const keepAliveMs = 5_000;

interface Failure {
  readonly status: number;
  readonly message: string;
  readonly code?: string | undefined;
}

/** One answer on the chat-completions wire, streamed or whole. */
export class ChatAnswer {
  readonly #response: ServerResponse;
  readonly #chat: ChatRequest;
  readonly #envelope: Readonly<Record<string, unknown>>;
  #keepAlive: NodeJS.Timeout | undefined;
  #text = "";
  #hasBegun = false;

  constructor(
    response: ServerResponse,
    chat: ChatRequest,
    { id, model }: { readonly id: string; readonly model: string },
  ) {
    this.#response = response;
    this.#chat = chat;
    this.#envelope = { id, model, created: Math.floor(Date.now() / 1000) };
    if (!chat.isStreamed) return;
    this.#keepAlive = setInterval(() => this.#openStream().write(": at work\n\n"), keepAliveMs);
    response.once("close", () => clearInterval(this.#keepAlive));
  }

  text(text: string): void {
    this.#text += text;
    if (this.#chat.isStreamed) this.#delta({ content: text });
  }

  end(generated: Generated): void {
    clearInterval(this.#keepAlive);
    const calls =
      generated.call === undefined
        ? undefined
        : [
            {
              id: `call_${randomUUID()}`,
              type: "function",
              function: { name: generated.call.name, arguments: generated.call.args },
            },
          ];
    if (this.#chat.isStreamed) {
      this.#endStream(generated, calls);
      return;
    }
    const message = { role: "assistant", content: this.#text, ...defined({ tool_calls: calls }) };
    this.#response.writeHead(200, { "content-type": "application/json" });
    this.#response.end(
      JSON.stringify({
        ...this.#envelope,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: generated.finish, ...this.#exact(generated) }],
        usage: usageOf(generated),
        ...(this.#chat.wantsTokens ? { prompt_token_ids: generated.promptTokens } : {}),
      }),
    );
  }

  fail({ status, message, code }: Failure): void {
    clearInterval(this.#keepAlive);
    const error = { message, type: status === 400 ? "invalid_request_error" : "server_error", code: code ?? null };
    if (this.#response.headersSent) {
      this.#response.end(`data: ${JSON.stringify({ error })}\n\n`);
      return;
    }
    this.#response.writeHead(status, { "content-type": "application/json" });
    this.#response.end(JSON.stringify({ error }));
  }

  #endStream(generated: Generated, calls: readonly Readonly<Record<string, unknown>>[] | undefined): void {
    if (calls !== undefined) this.#delta({ tool_calls: calls.map((call, index) => ({ index, ...call })) });
    this.#delta({}, { finish_reason: generated.finish, ...this.#exact(generated) });
    if (this.#chat.includesUsage) {
      const tokens = this.#chat.wantsTokens ? { prompt_token_ids: generated.promptTokens } : {};
      this.#chunk({ choices: [], usage: usageOf(generated), ...tokens });
    }
    this.#response.end("data: [DONE]\n\n");
  }

  #exact(generated: Generated): Readonly<Record<string, unknown>> {
    return {
      ...(this.#chat.wantsTokens ? { token_ids: generated.tokens } : {}),
      ...(this.#chat.wantsLogprobs ? { logprobs: { token_logprobs: generated.logprobs } } : {}),
    };
  }

  #delta(
    delta: Readonly<Record<string, unknown>>,
    more: Readonly<Record<string, unknown>> = { finish_reason: null },
  ): void {
    const first = this.#hasBegun ? {} : { role: "assistant" };
    this.#hasBegun = true;
    this.#chunk({ choices: [{ index: 0, delta: { ...first, ...delta }, ...more }] });
  }

  #chunk(fields: Readonly<Record<string, unknown>>): void {
    this.#openStream().write(
      `data: ${JSON.stringify({ ...this.#envelope, object: "chat.completion.chunk", ...fields })}\n\n`,
    );
  }

  #openStream(): ServerResponse {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    }
    return this.#response;
  }
}

function usageOf({ promptTokens, tokens, cachedTokens }: Generated): Readonly<Record<string, unknown>> {
  return {
    prompt_tokens: promptTokens.length,
    completion_tokens: tokens.length,
    total_tokens: promptTokens.length + tokens.length,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}
