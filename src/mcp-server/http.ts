import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe } from "#foundation/errors";
import { onAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { ServedHermes } from "./served-hermes.ts";
import { openService } from "./server.ts";

export interface HttpServing {
  /** 0 takes any that is free. */
  readonly port: number;
  /** What every request must bring; made up when it is empty. */
  readonly token: string;
  /** Called once, when requests are answered. */
  onReady(location: { readonly url: string; readonly token: string }): void;
}

const host = "127.0.0.1";
const path = "/mcp";

/**
 * Serves clients over HTTP until it is told to end. It listens on the loopback address only, answers no
 * request without the token, and none that a page of another site has sent.
 */
export async function serveHttp(hermes: ServedHermes, serving: HttpServing, signal: AbortSignal): Promise<void> {
  await using service = await openService(hermes);
  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  const handler = createMcpHandler(() => service.connect(), {
    onerror: (error) => hermes.logger.warn("an MCP request was refused", { error: error.message }),
  });
  const token = serving.token === "" ? randomBytes(24).toString("base64url") : serving.token;
  const server = createServer((request, response) => {
    answer(request, response, { token, handle: (one) => handler.fetch(one) }).catch((error: unknown) => {
      hermes.logger.warn("an MCP request could not be answered", { error: describe(error) });
      response.destroy();
    });
  });
  const port = await listen(server, serving.port);
  const over = new Deferred<void>();
  using _stop = onAbort(signal, () => over.resolve());
  try {
    serving.onReady({ url: `http://${host}:${port}${path}`, token });
    await over.promise;
  } finally {
    await handler.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  return (server.address() as AddressInfo).port;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  input: { readonly token: string; handle(request: Request): Promise<Response> },
): Promise<void> {
  const refusal = refusalOf(request, input.token);
  if (refusal !== undefined) {
    response.writeHead(refusal, refusal === 401 ? { "www-authenticate": "Bearer" } : {});
    response.end();
    return;
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answered = await input.handle(webRequest(request, gone.signal));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body === null) response.end();
  else await pipeline(Readable.fromWeb(answered.body as Parameters<typeof Readable.fromWeb>[0]), response);
}

/** A page in a browser may reach the loopback address, by a name of its own; it knows no token and says where it is from. */
function refusalOf({ headers, url = "" }: IncomingMessage, token: string): 401 | 403 | 404 | undefined {
  const name = (headers.host ?? "").replace(/:\d+$/, "");
  if (name !== host && name !== "localhost") return 403;
  if (headers.origin !== undefined && !/^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.origin))
    return 403;
  if (!isSame(headers.authorization ?? "", `Bearer ${token}`)) return 401;
  return new URL(url, `http://${host}`).pathname === path ? undefined : 404;
}

/** Takes the same time whatever was guessed. */
function isSame(input: string, wanted: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(input), hash(wanted));
}

function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/" } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, `http://${host}`), {
    method,
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(request) as ReadableStream, duplex: "half" } : {}),
  } as RequestInit);
}
