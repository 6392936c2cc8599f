import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { describe, UserError } from "#foundation/errors";
import { listenOn } from "#foundation/http/listen";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Guard } from "./access/guard.ts";
import { readReturnKey } from "./access/return-key.ts";
import { Returns } from "./access/returns.ts";
import { createApp } from "./app.ts";
import type { DashboardAddress, DashboardDeps } from "./deps.ts";
import { readPageFiles } from "./page-files.ts";
import { refusalOf, refuse, serveSocket, socketProtocol } from "./sockets.ts";

const mostFrameBytes = 67_108_864;

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
  const key = await readReturnKey(deps.home.at("dashboard.key"), deps.clock.now());
  const returns = new Returns({ key, start: randomBytes(12).toString("base64url"), clock: deps.clock });
  const app = await createApp({ deps, guard, returns, token, files });
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
