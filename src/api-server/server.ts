import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import type { CronJobs, Deliverer } from "#cron";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { listenOn } from "#foundation/http/listen";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { Clock } from "#foundation/time/clock";
import type { SessionService } from "#session";
import type { Store } from "#store";
import type { ApiContext } from "./api-context.ts";
import { createApp } from "./app.ts";
import { Callers } from "./callers.ts";
import { Idempotency } from "./idempotency.ts";
import type { ApiSettings } from "./settings.ts";
import { ApiTurns } from "./turns.ts";

export interface ApiServerDeps {
  readonly settings: ApiSettings;
  readonly sessions: SessionService;
  readonly store: Store;
  readonly jobs: CronJobs;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where commands of turns run. */
  readonly cwd: string;
  readonly deliverer?: Deliverer | undefined;
  status(): Promise<Readonly<Record<string, unknown>>>;
  redact(text: string): string;
  /** Called once, when requests are answered. */
  onReady(url: string): void;
}

const keepAliveMs = 30_000;

/** Serves the API until the signal. */
export async function serveApi(deps: ApiServerDeps, signal: AbortSignal): Promise<void> {
  const { settings, sessions, store, jobs, clock, logger, cwd } = deps;
  const context: ApiContext = {
    settings,
    store,
    jobs,
    clock,
    logger,
    keepAliveMs,
    deliverer: deps.deliverer,
    callers: new Callers(settings, clock),
    turns: new ApiTurns({ sessions, store, cwd }),
    idempotency: new Idempotency(store, clock),
    status: () => deps.status(),
    redact: (text) => deps.redact(text),
  };
  const { getRequestListener } = await import("@hono/node-server");
  const app = await createApp(context, signal);
  const listener = getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false });
  const server = createServer({ requestTimeout: 60_000 }, (request, response) => {
    listener(request, response).catch((error: unknown) => {
      logger.warn("an API request could not be answered", { error: describe(error) });
      response.destroy();
    });
  });
  server.on("clientError", refuseNonsense);
  const port = await listenOn(
    server,
    settings,
    "Stop the program that uses it, or set API_SERVER_PORT to another port.",
  );
  const over = new Deferred<void>();
  using _stop = onAbort(signal, () => over.resolve());
  try {
    const host = settings.host.includes(":") ? `[${settings.host.replace(/[[\]]/g, "")}]` : settings.host;
    deps.onReady(`http://${host}:${port}`);
    await over.promise;
  } finally {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** Bytes that are no HTTP request. */
function refuseNonsense(error: Error, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const isLength = "code" in error && error.code === "HPE_INVALID_CONTENT_LENGTH";
  const code = isLength ? "invalid_content_length" : "invalid_request";
  const body = JSON.stringify({
    error: { message: "This is not an HTTP request.", type: "invalid_request_error", param: null, code },
  });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
