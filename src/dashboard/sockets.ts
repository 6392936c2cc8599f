import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { describe, UserError } from "#foundation/errors";
import type { Guard } from "./access/guard.ts";
import { type ConversationRequest, serveConversation } from "./conversation-socket.ts";
import type { DashboardDeps } from "./deps.ts";
import { cells, serveTerminal, type TerminalRequest } from "./terminal-socket.ts";

/** Spoken by the page; the token comes as a second protocol, since a browser can send no header with a socket. */
export const socketProtocol = "hermes.v1";

/** Why a socket is not opened; undefined where it may be. */
export function refusalOf({ url, headers }: IncomingMessage, guard: Guard): string | undefined {
  if (!/^\/api\/(?:chat|pty)(?:\?|$)/.test(url ?? "")) return "404 Not Found";
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const token = offered.find((name) => name.startsWith("bearer."))?.slice("bearer.".length);
  const verdict = guard.judgeSocket({ host: headers.host, origin: headers.origin, token });
  if (verdict.kind === "refused") return verdict.status === 401 ? "401 Unauthorized" : "403 Forbidden";
  return offered.includes(socketProtocol) ? undefined : "400 Bad Request";
}

export function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

/** `/api/chat` is a conversation, `/api/pty` the terminal of Hermes. */
export async function serveSocket(
  socket: WebSocket,
  { url }: IncomingMessage,
  context: { readonly deps: DashboardDeps; readonly signal: AbortSignal },
): Promise<void> {
  const { pathname, searchParams } = new URL(url ?? "/", "http://localhost");
  try {
    if (pathname === "/api/pty") await serveTerminal(socket, terminalIn(searchParams), context);
    else await serveConversation(socket, conversationIn(searchParams), context);
  } catch (error) {
    context.deps.logger.error("a socket of the dashboard failed", { error: describe(error) });
    socket.close(1011, error instanceof UserError ? error.message.slice(0, 100) : "Unexpected error; see the log.");
  }
}

function conversationIn(wanted: URLSearchParams): ConversationRequest {
  const after = Number(wanted.get("after") ?? Number.NaN);
  return {
    resume: wanted.get("session") ?? undefined,
    afterSeq: Number.isSafeInteger(after) ? after : undefined,
    isCutOff: wanted.get("cut") === "1",
  };
}

const terminalIn = (wanted: URLSearchParams): TerminalRequest => ({
  resume: wanted.get("session") ?? undefined,
  columns: cells(Number(wanted.get("columns")), 120),
  rows: cells(Number(wanted.get("rows")), 30),
});
