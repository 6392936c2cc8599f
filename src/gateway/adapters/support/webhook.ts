import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { describe } from "#foundation/errors";
import { readRequestBody } from "#foundation/http/request-body";
import { ConnectionError, type ConnectionPorts } from "../../platform/platform.ts";
import type { Service } from "./service-error.ts";

export interface WebhookCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly remote: string;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly body?: string | undefined;
  readonly type?: string | undefined;
}

export interface WebhookOptions {
  readonly service: Service;
  readonly ports: ConnectionPorts;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Says 200 when what was delivered is written down, so that the service repeats all others. */
  answer(call: WebhookCall): Promise<WebhookAnswer>;
}

const largestBody = 1_048_576;
const readTimeoutMs = 30_000;
const lifeEveryMs = 20_000;

/** Receives the calls of a service at one path. Bodies are bounded; what fails here is answered 503. */
export async function listenForCalls(options: WebhookOptions): Promise<AsyncDisposable> {
  const { service, ports, host, port } = options;
  if (ports.isSendOnly === true) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const server = createServer({ requestTimeout: readTimeoutMs }, async (request, response) => {
    const { status, body = "", type = "text/plain; charset=utf-8" } = await answerTo(request, options);
    response.writeHead(status, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((error: unknown) => {
    const where = `${host}:${port}`;
    throw new ConnectionError(`${service.id}_port`, `${service.label} cannot listen on ${where}: ${describe(error)}`, {
      isRetryable: true,
      cause: error,
    });
  });
  // Nothing is heard where nobody writes: that the server listens is all there is to know.
  ports.alive();
  const life = setInterval(() => server.listening && ports.alive(), lifeEveryMs);
  return {
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        clearInterval(life);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerTo(
  request: IncomingMessage,
  { service, ports, path, answer }: WebhookOptions,
): Promise<WebhookAnswer> {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname === "/health" && request.method === "GET") return { status: 200, body: "ok" };
  if (url.pathname !== path) return { status: 404 };
  try {
    const body = await readRequestBody(request, largestBody);
    if (body === undefined) return { status: 413 };
    const { method = "GET", headers } = request;
    return await answer({ method, url, headers, body, remote: request.socket.remoteAddress ?? "" });
  } catch (error) {
    ports.logger.error("a call could not be taken in", { platform: service.id, error: describe(error) });
    return { status: 503 };
  }
}

/** Compares in a time that tells nothing about where the difference is. */
export function isSame(one: string | readonly string[] | undefined, other: string): boolean {
  if (typeof one !== "string") return false;
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
