import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { deriveCallId } from "#conversation";
import { readRequestBody } from "#foundation/http/request-body";
import { demoModelName } from "../resolve/demo.ts";
import { type Move, nextMove, type Scene } from "./script.ts";

/**
 * The demo model behind the ordinary chat-completions wire, on a loopback port of its own: Hermes
 * talks to it exactly as to any other provider, so what a newcomer sees is the real path.
 */
export interface DemoModel extends AsyncDisposable {
  /** Base URL for a chat-completions client, ending in `/v1`. */
  readonly baseUrl: string;
}

const maxBodyBytes = 32 * 1024 * 1024;

export async function serveDemoModel(): Promise<DemoModel> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  // A prompt that waits for its user must not be kept from exiting by this server.
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface ChatBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly { readonly role?: string; readonly content?: unknown }[];
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "";
  if (request.method === "GET" && path.endsWith("/models")) {
    return sendJson(response, 200, {
      object: "list",
      data: [{ id: demoModelName, object: "model", context_length: 128_000 }],
    });
  }
  if (request.method !== "POST" || !path.endsWith("/chat/completions")) {
    return sendJson(response, 404, { error: { message: `The demo model has no ${path}`, type: "not_found" } });
  }
  const read = await readBody(request);
  if (read === undefined) {
    return sendJson(response, 400, {
      error: { message: "The body is not a JSON object", type: "invalid_request_error" },
    });
  }
  const { body, bytes } = read;
  const move = nextMove(sceneOf(body));
  if (body.stream === true) return streamMove(response, move, bytes);
  return sendJson(response, 200, wholeReply(move, bytes));
}

async function readBody(
  request: IncomingMessage,
): Promise<{ readonly body: ChatBody; readonly bytes: number } | undefined> {
  const bytes = await readRequestBody(request, maxBodyBytes);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? { body: value as ChatBody, bytes: bytes.length } : undefined;
  } catch {
    return undefined;
  }
}

export function sceneOf(body: ChatBody): Scene {
  const messages = body.messages ?? [];
  const lastUser = messages.findLastIndex((message) => message.role === "user");
  const turn = messages.slice(lastUser + 1);
  return {
    request: lastUser < 0 ? "" : contentText(messages[lastUser]?.content),
    results: turn.filter((message) => message.role === "tool").map((message) => contentText(message.content)),
    tools: new Set((body.tools ?? []).map((tool) => tool.function?.name ?? "")),
    isFirstReply: !messages.some((message) => message.role === "assistant"),
  };
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}

function callOf(move: Extract<Move, { kind: "call" }>) {
  const args = JSON.stringify(move.args);
  return { id: deriveCallId(move.tool, args, 0), type: "function", function: { name: move.tool, arguments: args } };
}

const finishOf = (move: Move) => (move.kind === "call" ? "tool_calls" : "stop");
const envelope = { id: "chatcmpl-demo", model: demoModelName, created: 0 };
/** Four bytes are a token here, as in every estimate of ours: the status line has something true to show. */
function usageOf(promptBytes: number, move: Move) {
  const words = move.text + (move.kind === "call" ? JSON.stringify(move.args) : "");
  const counts = { prompt_tokens: Math.ceil(promptBytes / 4), completion_tokens: Math.ceil(words.length / 4) };
  return { ...counts, total_tokens: counts.prompt_tokens + counts.completion_tokens };
}

function wholeReply(move: Move, promptBytes: number): unknown {
  const message = {
    role: "assistant",
    content: move.text,
    ...(move.kind === "call" ? { tool_calls: [callOf(move)] } : {}),
  };
  const choice = { index: 0, message, finish_reason: finishOf(move) };
  return { ...envelope, object: "chat.completion", choices: [choice], usage: usageOf(promptBytes, move) };
}

/** Word by word, so that the screen shows what streaming looks like. */
function streamMove(response: ServerResponse, move: Move, promptBytes: number): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = (delta: unknown, finish: string | null = null): void => {
    const chunk = {
      ...envelope,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  send({ role: "assistant", content: "" });
  for (const word of move.text.match(/\S+\s*|\s+/g) ?? []) send({ content: word });
  if (move.kind === "call") send({ tool_calls: [{ index: 0, ...callOf(move) }] });
  send({}, finishOf(move));
  const last = { ...envelope, object: "chat.completion.chunk", choices: [], usage: usageOf(promptBytes, move) };
  response.write(`data: ${JSON.stringify(last)}\n\n`);
  response.end("data: [DONE]\n\n");
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
