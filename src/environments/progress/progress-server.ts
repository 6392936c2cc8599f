import type { IncomingMessage, ServerResponse } from "node:http";
import { listenOn } from "#foundation/http/listen";
import { isLoopback } from "#foundation/http/local-host";
import { progressPage, progressScript, progressStyle } from "./progress-page.ts";
import type { RunEvent } from "./run-event.ts";
import { RunProgress } from "./run-progress.ts";

export interface ProgressServer extends AsyncDisposable {
  readonly url: string;
  tell(event: RunEvent): void;
}

const headers = {
  "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/": ["text/html; charset=utf-8", progressPage],
  "/page.js": ["text/javascript; charset=utf-8", progressScript],
  "/page.css": ["text/css; charset=utf-8", progressStyle],
};

/** How often a page is told how far the run is; events go out as they come. */
const refreshMs = 250;

/** A run as a page on this machine that is only looked at: how far it is, and its events as server-sent events. */
export async function openProgressServer(options: {
  readonly host: string;
  readonly port: number;
  now(): number;
}): Promise<ProgressServer> {
  const { createServer } = await import("node:http");
  const progress = new RunProgress(options.now);
  const listeners = new Set<ServerResponse>();
  const send = (to: Iterable<ServerResponse>, name: string, value: unknown): void => {
    for (const response of to) response.write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
  };
  let hasNews = false;
  const timer = setInterval(() => {
    if (hasNews) send(listeners, "progress", progress.view());
    hasNews = false;
  }, refreshMs);
  const server = createServer((request, response) => {
    const refused = refusal(request, options.host);
    if (refused !== undefined) return void response.writeHead(refused, headers).end();
    if (request.url === "/events") {
      response.writeHead(200, { ...headers, "content-type": "text/event-stream; charset=utf-8" });
      listeners.add(response);
      response.on("close", () => listeners.delete(response));
      return send([response], "progress", progress.view());
    }
    const file = files[request.url ?? ""];
    if (file === undefined) return void response.writeHead(404, headers).end();
    response.writeHead(200, { ...headers, "content-type": file[0] }).end(file[1]);
  });
  const port = await listenOn(server, options, "Name another one with --ui-port.");
  return {
    url: `http://${options.host}:${port}/`,
    tell(event) {
      progress.add(event);
      hasNews = true;
      send(listeners, "run", event);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      send(listeners, "progress", progress.view());
      for (const response of listeners) response.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of another site must not read along: it can make a name of its own point here, so the name is looked at. */
function refusal({ method, headers: sent }: IncomingMessage, host: string): number | undefined {
  if (method !== "GET") return 405;
  const name = URL.canParse(`http://${sent.host}`) ? new URL(`http://${sent.host}`).hostname : "";
  return isLoopback(name) || name === host ? undefined : 421;
}
