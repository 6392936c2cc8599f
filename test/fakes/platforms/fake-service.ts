import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export type Fields = Record<string, unknown>;

export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** The body, where it is JSON. */
  readonly json: Fields;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly json?: unknown;
  readonly bytes?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown where the service would refuse. */
export class Refused extends Error {
  readonly answer: FakeAnswer;

  constructor(status: number, json: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(JSON.stringify(json));
    this.answer = { status, json, headers };
  }
}

export type SendTrouble = "rate-limited" | "refused-markup" | "accept-then-cut" | "cut" | "server-error";

export interface FakeServiceOptions {
  answer(call: FakeCall): FakeAnswer | Promise<FakeAnswer>;
  isSend(call: FakeCall): boolean;
  /** How the service says that it is asked too often, and that it does not take such a text. */
  readonly limited: FakeAnswer;
  readonly refused: FakeAnswer;
}

/** What stands in a chat of a fake, by the id the service gives the chat. */
export interface ShownIn {
  readonly chat: string;
  readonly text: string;
}

export interface FakeService extends AsyncDisposable {
  readonly url: string;
  readonly server: Server;
  readonly calls: readonly FakeCall[];
  nextSend(trouble: SendTrouble): void;
  sends(): number;
  file(bytes: Buffer): string;
  fileOf(id: string): Buffer | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A service over HTTP on loopback; what it answers is the caller's, what goes wrong on the way is here. */
export async function startFakeService(options: FakeServiceOptions): Promise<FakeService> {
  const calls: FakeCall[] = [];
  const troubles: SendTrouble[] = [];
  const files = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const call = callOf(request, Buffer.concat(chunks));
    calls.push(call);
    const write = ({ status = 200, json, bytes, headers = {} }: FakeAnswer): void => {
      const type = json === undefined ? "application/octet-stream" : "application/json";
      response.writeHead(status, { "content-type": type, ...headers });
      response.end(json === undefined ? bytes : JSON.stringify(json));
    };
    const trouble = options.isSend(call) ? troubles.shift() : undefined;
    if (trouble === "cut") return void request.socket.destroy();
    if (trouble === "server-error") return write({ status: 503, json: { message: "try again" } });
    if (trouble === "rate-limited") return write(options.limited);
    if (trouble === "refused-markup") return write(options.refused);
    try {
      const answer = await options.answer(call);
      if (trouble === "accept-then-cut") return void request.socket.destroy();
      write(answer);
    } catch (error) {
      write(error instanceof Refused ? error.answer : { status: 500, json: { message: String(error) } });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    calls,
    nextSend: (trouble) => void troubles.push(trouble),
    sends: () => calls.filter((call) => options.isSend(call)).length,
    file(bytes) {
      const id = `file${files.size}`;
      files.set(id, bytes);
      return id;
    },
    fileOf: (id) => files.get(id),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function callOf(request: IncomingMessage, body: Buffer): FakeCall {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const isJson = request.headers["content-type"]?.startsWith("application/json") === true;
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body,
    json: isJson && body.length > 0 ? (JSON.parse(body.toString("utf8")) as Fields) : {},
  };
}

/** The fields of a form with files; a file is given as its content. */
export async function formOf({ headers, body }: FakeCall): Promise<FormData> {
  const request = new Response(new Uint8Array(body), { headers: { "content-type": headers["content-type"] ?? "" } });
  return await request.formData();
}
