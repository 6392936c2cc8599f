import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { describe, UserError } from "#foundation/errors";
import { readRequestBody } from "#foundation/http/request-body";
import { parseJson } from "#foundation/text/json";
import type { ModelLibrary } from "../files/library.ts";
import { ChatAnswer } from "./chat-answer.ts";
import { readChatRequest } from "./chat-request.ts";
import { generate, WindowExceeded } from "./generate.ts";
import { roomFor } from "./loaded-model.ts";
import type { ModelHost } from "./model-host.ts";

export interface ChatServerOptions {
  readonly host: ModelHost;
  readonly library: ModelLibrary;
  readonly token: string;
  readonly maxContext?: number | undefined;
  /** A program that uses the server came, or the last thing it asked for was answered. */
  onActivity(): void;
  /** A program holds the server for as long as this connection lives. */
  onHold(connection: ServerResponse): void;
}

const maxBodyBytes = 64 * 1024 * 1024;

/** The chat-completions wire over the models of this machine. Nothing is answered without the token. */
export function createChatServer(options: ChatServerOptions): Server {
  const expected = digest(`Bearer ${options.token}`);
  const server = createServer((request, response) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ""), expected)) {
      return sendError(response, 401, { message: "The token is missing or wrong.", type: "authentication_error" });
    }
    options.onActivity();
    answer(request, response, options)
      .catch((error: unknown) => sendError(response, 500, { message: describe(error), type: "server_error" }))
      .finally(options.onActivity);
  });
  // Reading a long prompt on a slow machine takes minutes.
  server.requestTimeout = 0;
  return server;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ChatServerOptions): Promise<void> {
  const path = (request.url ?? "").split("?")[0] ?? "";
  if (request.method === "GET" && path === "/v1/models") return listModels(response, options);
  if (request.method === "GET" && path === "/v1/hold") {
    response.writeHead(200, { "content-type": "text/plain" });
    response.write("held\n");
    return options.onHold(response);
  }
  if (request.method === "POST" && path === "/v1/chat/completions") return complete(request, response, options);
  return sendError(response, 404, { message: `There is no ${request.method} ${path} here.`, type: "not_found" });
}

async function listModels(response: ServerResponse, { library, maxContext }: ChatServerOptions): Promise<void> {
  const { models } = await library.list();
  const data = models.map(({ id, facts }) => ({
    id,
    object: "model",
    owned_by: "local",
    context_length: roomFor(facts, maxContext, Number.MAX_SAFE_INTEGER).contextSize,
  }));
  sendJson(response, 200, { object: "list", data });
}

async function complete(request: IncomingMessage, response: ServerResponse, options: ChatServerOptions): Promise<void> {
  const parsed = parseJson(await readBody(request));
  const reading = readChatRequest(parsed.ok ? parsed.value : undefined);
  if (reading.kind === "fault")
    return sendError(response, 400, { message: reading.message, type: "invalid_request_error" });
  const chat = reading.request;
  const model = chat.model;
  if (model === undefined)
    return sendError(response, 400, { message: "model is missing.", type: "invalid_request_error" });
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("the caller left")));
  const { signal } = gone;
  const reply = new ChatAnswer(response, chat, { id: `chatcmpl-${randomUUID()}`, model });
  try {
    await options.host.run({ model, key: chat.key, signal }, async (loaded, take) => {
      const promptText = loaded.prompt(chat);
      const generated = await generate(take(promptText), loaded.model, {
        chat,
        promptText,
        form: loaded.form,
        contextSize: loaded.contextSize,
        callGrammar: () => loaded.callGrammar(chat),
        schemaGrammar: () => loaded.schemaGrammar(chat),
        onText: (text) => reply.text(text),
        signal,
      });
      reply.end(generated);
    });
  } catch (error) {
    if (signal.aborted) return;
    reply.fail(statusOf(error));
  }
}

function statusOf(error: unknown): { readonly status: number; readonly message: string; readonly code?: string } {
  if (error instanceof WindowExceeded) return { status: 400, message: error.message, code: "context_length_exceeded" };
  if (error instanceof UserError) {
    const status = error.code === "model_not_found" ? 404 : 400;
    return {
      status,
      message: [error.message, error.hint].filter((text) => text !== undefined).join(" "),
      code: error.code,
    };
  }
  return { status: 500, message: describe(error) };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const bytes = await readRequestBody(request, maxBodyBytes);
  if (bytes === undefined) throw new Error("the body is too large");
  return bytes.toString("utf8");
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendError(response: ServerResponse, status: number, error: Readonly<Record<string, unknown>>): void {
  sendJson(response, status, { error });
}
