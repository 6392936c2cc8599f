import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { systemErrorCode } from "#foundation/errors";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { type CallbackAnswer, readCallback } from "./pkce.ts";

export interface Loopback extends AsyncDisposable {
  /** The address to give to the service. */
  readonly redirectUri: string;
  /** Resolves with what the browser brings. */
  answer(signal: AbortSignal): Promise<CallbackAnswer>;
}

export interface LoopbackOptions {
  readonly port: number;
  readonly path: string;
  readonly state: string;
}

/** Waits on this machine's own address for the browser to come back; another port when the usual one is taken. */
export async function openLoopback(options: LoopbackOptions): Promise<Loopback> {
  // Only a login in a browser needs a server; nobody else pays for loading one.
  const { createServer } = await import("node:http");
  const answered = new Deferred<CallbackAnswer>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method !== "GET" || url.pathname !== options.path) {
      response.writeHead(404, { connection: "close" }).end();
      return;
    }
    const answer = readCallback(url.href, options.state);
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "cache-control": "no-store",
      connection: "close",
    });
    response.end(answer.kind === "code" ? pages.done : pages.failed);
    // A stray request with a foreign state must not end the login of the person who is still typing.
    if (answer.kind === "code" || url.searchParams.has("error")) answered.resolve(answer);
  });
  const port = await listen(server, options.port);
  return {
    redirectUri: `http://127.0.0.1:${port}${options.path}`,
    async answer(signal) {
      using _subscription = onAbort(signal, (reason) => answered.reject(reason));
      return await answered.promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const pages = {
  done: "<!doctype html><title>Hermes</title><p>You are logged in. This page can be closed.</p>",
  failed: "<!doctype html><title>Hermes</title><p>The login did not work. Look at the terminal.</p>",
};

async function listen(server: Server, wanted: number): Promise<number> {
  for (const port of [wanted, 0]) {
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
      if (systemErrorCode(error) !== "EADDRINUSE" || port === 0) throw error;
    }
  }
  throw new Error("no port to listen on");
}
