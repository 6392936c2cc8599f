import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON, or undefined. */
  readonly json: unknown;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text or bytes as they are; anything else as JSON. */
  readonly body?: unknown;
}

export type FakeRoute = (request: SeenRequest) => FakeAnswer | Promise<FakeAnswer>;

const notFound: FakeRoute = () => ({ status: 404 });

/** A web site or service on this machine: answers by path, and remembers what it was asked. */
export class FakeWebServer implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly #routes = new Map<string, FakeRoute>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const request = {
          method: incoming.method ?? "GET",
          url: incoming.url ?? "/",
          headers: incoming.headers,
          text,
          json: asJson(text),
        };
        this.seen.push(request);
        const path = request.url.split("?")[0] ?? "/";
        const route = this.#routes.get(`${request.method} ${path}`) ?? this.#routes.get(path) ?? notFound;
        Promise.resolve(route(request)).then(
          ({ status = 200, headers = {}, body = "" }) => {
            const isRaw = typeof body === "string" || body instanceof Uint8Array;
            outgoing.writeHead(status, { "content-type": isRaw ? "text/html" : "application/json", ...headers });
            outgoing.end(isRaw ? body : JSON.stringify(body));
          },
          (error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined),
        );
      });
    });
  }

  static async start(routes: Readonly<Record<string, FakeRoute | FakeAnswer>> = {}): Promise<FakeWebServer> {
    const fake = new FakeWebServer();
    for (const [path, route] of Object.entries(routes)) fake.on(path, route);
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `path`, or `METHOD path`. */
  on(path: string, route: FakeRoute | FakeAnswer): void {
    this.#routes.set(path, typeof route === "function" ? route : () => route);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
