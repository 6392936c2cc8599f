import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { describe } from "#foundation/errors";
import { listenOn } from "#foundation/http/listen";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { checkAddress, type DashboardAddress, isLoopback, openingUrl } from "./access/address.ts";
import { Guard } from "./access/guard.ts";
import { Login } from "./access/login.ts";
import { readReturnKey } from "./access/return-key.ts";
import { Returns } from "./access/returns.ts";
import { createApp } from "./app.ts";
import type { DashboardDeps } from "./deps.ts";
import { readPageFiles } from "./page-files.ts";
import { refusalOf, refuse, serveSocket, socketProtocol } from "./sockets.ts";

const mostFrameBytes = 67_108_864;

/** Serves the dashboard until the signal. */
export async function serveDashboard(deps: DashboardDeps, signal: AbortSignal): Promise<void> {
  const { address, logger } = deps;
  checkAddress(address);
  const files = await readPageFiles(deps.pageFolder);
  const [{ getRequestListener }, { WebSocketServer }] = await Promise.all([import("@hono/node-server"), import("ws")]);
  const server = await newServer(address);
  const port = await listenOn(server, address, "A dashboard may run already. Another port: hermes dashboard --port 0");
  const token = randomBytes(24).toString("base64url");
  const { publicUrl, host, tls, password } = address;
  const guard = new Guard({
    token,
    port,
    publicUrl,
    isTls: tls !== undefined,
    outside: isLoopback(host) ? undefined : host,
  });
  const login = password === undefined ? undefined : new Login(password, deps.clock);
  const key = await readReturnKey(deps.home.at("dashboard.key"), deps.clock.now());
  const returns = new Returns({ key, start: randomBytes(12).toString("base64url"), clock: deps.clock });
  const app = await createApp({ deps, guard, returns, login, token, files });
  const answer = getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false });
  server.on("request", (request, response) => {
    answer(request, response).catch((error: unknown) => {
      logger.warn("a request of the dashboard could not be answered", { error: describe(error) });
      response.destroy();
    });
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: mostFrameBytes,
    handleProtocols: () => socketProtocol,
  });
  server.on("upgrade", (request, socket, head) => {
    const refusal = refusalOf(request, guard);
    if (refusal !== undefined) return refuse(socket, refusal);
    sockets.handleUpgrade(request, socket, head, (open) => void serveSocket(open, request, { deps, signal }));
  });
  const over = new Deferred<void>();
  using _stop = onAbort(signal, () => over.resolve());
  try {
    deps.onReady(openingUrl(address, port, token));
    await over.promise;
  } finally {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

async function newServer({ tls }: DashboardAddress): Promise<Server> {
  const limits = { requestTimeout: 60_000 };
  if (tls === undefined) return createServer(limits);
  const { createServer: createTlsServer } = await import("node:https");
  return createTlsServer({ ...limits, ...tls });
}
