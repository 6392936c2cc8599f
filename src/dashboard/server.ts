import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { describe, UserError } from "#foundation/errors";
import { listenOn } from "#foundation/http/listen";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { createApp } from "./app.ts";
import { serveConversation } from "./conversation-socket.ts";
import type { DashboardAddress, DashboardDeps } from "./deps.ts";
import { Guard } from "./guard.ts";
import { readPageFiles } from "./page-files.ts";

const mostFrameBytes = 67_108_864;
/** Spoken by the page; the token comes as a second protocol, since a browser can send no header with a socket. */
const protocol = "hermes.v1";

/** Serves the dashboard until the signal. */
export async function serveDashboard(deps: DashboardDeps, signal: AbortSignal): Promise<void> {
  const { address, logger } = deps;
  checkAddress(address);
  const files = await readPageFiles(deps.pageFolder);
  const [{ getRequestListener }, { WebSocketServer }] = await Promise.all([import("@hono/node-server"), import("ws")]);
  const server = createServer({ requestTimeout: 60_000 });
  const port = await listenOn(server, address, "A dashboard may run already. Another port: hermes dashboard --port 0");
  const token = randomBytes(24).toString("base64url");
  const guard = new Guard({ token, port, publicUrl: address.publicUrl });
  const app = await createApp({ deps, guard, files });
  const answer = getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false });
  server.on("request", (request, response) => {
    answer(request, response).catch((error: unknown) => {
      logger.warn("a request of the dashboard could not be answered", { error: describe(error) });
      response.destroy();
    });
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: mostFrameBytes, handleProtocols: () => protocol });
  server.on("upgrade", (request, socket, head) => {
    const refusal = refusalOf(request, guard);
    if (refusal !== undefined) return refuse(socket, refusal);
    sockets.handleUpgrade(request, socket, head, (open) => {
      const wanted = new URL(request.url ?? "/", "http://localhost").searchParams;
      const after = Number(wanted.get("after") ?? Number.NaN);
      const resume = wanted.get("session") ?? undefined;
      serveConversation(
        open,
        { resume, afterSeq: Number.isSafeInteger(after) ? after : undefined },
        { deps, signal },
      ).catch((error: unknown) => {
        logger.error("a conversation of the dashboard failed", { error: describe(error) });
        open.close(1011, error instanceof UserError ? error.message.slice(0, 100) : "Unexpected error; see the log.");
      });
    });
  });
  const over = new Deferred<void>();
  using _stop = onAbort(signal, () => over.resolve());
  try {
    const base = address.publicUrl?.href.replace(/\/?$/, "/") ?? `http://${hostInUrl(address.host)}:${port}/`;
    deps.onReady(`${base}#token=${token}`);
    await over.promise;
  } finally {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

const hostInUrl = (host: string): string => (host.includes(":") ? `[${host.replace(/[[\]]/g, "")}]` : host);

/** The page can do what the person at the machine can: it is not offered to a network. */
function checkAddress({ host }: DashboardAddress): void {
  if (host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)) return;
  throw new UserError(`The dashboard does not listen on ${host}.`, {
    hint: "Reach it through a tunnel (ssh -L 9119:127.0.0.1:9119), or put a reverse proxy with TLS and a password before it and name that with --public-url.",
    code: "dashboard_unsafe",
  });
}

function refusalOf({ url, headers }: IncomingMessage, guard: Guard): string | undefined {
  if (!/^\/api\/chat(?:\?|$)/.test(url ?? "")) return "404 Not Found";
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const token = offered.find((name) => name.startsWith("bearer."))?.slice("bearer.".length);
  const verdict = guard.judgeSocket({ host: headers.host, origin: headers.origin, token });
  if (verdict.kind === "refused") return verdict.status === 401 ? "401 Unauthorized" : "403 Forbidden";
  return offered.includes(protocol) ? undefined : "400 Bad Request";
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
