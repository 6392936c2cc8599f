import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { UserError } from "#foundation/errors";
import { raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";

/** Waits on loopback for the browser to come back. One per login, with its own port and state. */
export interface OAuthCallback extends AsyncDisposable {
  readonly redirectUrl: string;
  /** The query of the one answer that carries the right state. */
  answer(signal: AbortSignal): Promise<URLSearchParams>;
}

export async function listenForCallback(port: number, state: string): Promise<OAuthCallback> {
  const arrived = new Deferred<URLSearchParams>();
  // The outcome may come before anybody waits for it.
  arrived.promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const answer = (status: number, text: string): void => {
      response.writeHead(status, { "content-type": "text/html; charset=utf-8", connection: "close" }).end(page(text));
    };
    if (request.method !== "GET" || url.pathname !== "/callback") return answer(404, "Nothing is here.");
    if (url.searchParams.get("state") !== state) return answer(400, "This answer belongs to another login.");
    const problem = url.searchParams.get("error");
    if (problem !== null) {
      const detail = url.searchParams.get("error_description") ?? problem;
      arrived.reject(new UserError(`The login was refused: ${detail.slice(0, 300)}`, { code: "mcp_login_refused" }));
      return answer(400, `The login was refused: ${detail.slice(0, 300)}`);
    }
    if (!url.searchParams.has("code")) return answer(400, "The answer has no code.");
    arrived.resolve(url.searchParams);
    answer(200, "You are logged in. This page can be closed.");
  });
  await listening(server, port);
  return {
    redirectUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    answer: (signal) => raceAbort(arrived.promise, signal),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new UserError(`Port ${port} for the login is taken.`, { hint: "Set oauth.redirect_port to 0.", cause: error }),
      ),
    );
    server.listen(port, "127.0.0.1", () => resolve());
  });
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function page(text: string): string {
  const safe = text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");
  return `<!doctype html><meta charset="utf-8"><title>Hermes</title><p>${safe}</p>`;
}
