import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { systemErrorCode } from "../errors.ts";
import { raceAbort } from "../lifecycle/abort.ts";
import { Deferred } from "../lifecycle/deferred.ts";
import { escapeHtml } from "../text/html.ts";

/** Waits on this machine for the browser to come back from a login. One per login, with its own state. */
export interface Loopback extends AsyncDisposable {
  /** The address to give to the service. */
  readonly redirectUri: string;
  /** The query of the one answer that carries the right state: a `code`, or an `error`. */
  answer(signal: AbortSignal): Promise<URLSearchParams>;
}

export interface LoopbackOptions {
  readonly port: number;
  /** Another port will do when this one is taken. */
  readonly takesAnyPort?: boolean;
  readonly path: string;
  readonly state: string;
}

/** Rejects with the system's own error when the port cannot be had. */
export async function openLoopback(options: LoopbackOptions): Promise<Loopback> {
  // Only a login in a browser needs a server; nobody else pays for loading one.
  const { createServer } = await import("node:http");
  const arrived = new Deferred<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const answer = (status: number, text: string): void => {
      const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": "default-src 'none'" };
      response.writeHead(status, { ...headers, "cache-control": "no-store", connection: "close" }).end(page(text));
    };
    const { searchParams } = url;
    if (request.method !== "GET" || url.pathname !== options.path) return answer(404, "Nothing is here.");
    // A stray request must not end the login of the person who is still typing.
    if (searchParams.get("state") !== options.state) return answer(400, "This answer belongs to another login.");
    const problem = searchParams.get("error_description") ?? searchParams.get("error");
    if (problem === null && !searchParams.has("code")) return answer(400, "The answer has no code.");
    arrived.resolve(searchParams);
    if (problem === null) answer(200, "You are logged in. This page can be closed.");
    else answer(400, `The login was refused: ${problem.slice(0, 300)}`);
  });
  const port = await listen(server, options);
  return {
    redirectUri: `http://127.0.0.1:${port}${options.path}`,
    answer: (signal) => raceAbort(arrived.promise, signal),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function listen(server: Server, { port: wanted, takesAnyPort }: LoopbackOptions): Promise<number> {
  for (const port of takesAnyPort === true ? [wanted, 0] : [wanted]) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, "127.0.0.1", () => {
          server.off("error", reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if (systemErrorCode(error) !== "EADDRINUSE" || port === 0 || takesAnyPort !== true) throw error;
    }
  }
  throw new Error("no port to listen on");
}

function page(text: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Hermes</title><p>${escapeHtml(text)}</p>`;
}
