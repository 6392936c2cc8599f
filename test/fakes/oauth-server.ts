import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request a client made, with its form or JSON body read. */
export interface OAuthCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface OAuthAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answerer = (call: OAuthCall) => OAuthAnswer | Promise<OAuthAnswer>;

/**
 * A login service on loopback. Answers are scripted per path and used up in order; `on` sets what
 * answers when the script is empty. Everything else is 404.
 */
export interface OAuthServer extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly OAuthCall[];
  script(path: string, ...answers: readonly OAuthAnswer[]): void;
  on(path: string, answer: Answerer): void;
  callsTo(path: string): readonly OAuthCall[];
}

export async function startOAuthServer(): Promise<OAuthServer> {
  const calls: OAuthCall[] = [];
  const scripts = new Map<string, OAuthAnswer[]>();
  const handlers = new Map<string, Answerer>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readCall(request);
    calls.push(call);
    const next = scripts.get(call.path)?.shift() ?? (await handlers.get(call.path)?.(call));
    const { status = 200, body = {}, headers = {} } = next ?? { status: 404, body: { error: "not_found" } };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers }).end(text);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    script: (path, ...answers) => void scripts.set(path, [...(scripts.get(path) ?? []), ...answers]),
    on: (path, handler) => void handlers.set(path, handler),
    callsTo: (path) => calls.filter((call) => call.path === path),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function readCall(request: IncomingMessage): Promise<OAuthCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const isForm = (request.headers["content-type"] ?? "").includes("form-urlencoded");
  const json: unknown = !isForm && text.startsWith("{") ? JSON.parse(text) : {};
  return {
    method: request.method ?? "GET",
    path: new URL(request.url ?? "/", "http://x").pathname,
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    fields: isForm ? Object.fromEntries(new URLSearchParams(text)) : {},
    json: json as Record<string, unknown>,
  };
}

export interface IssuerOptions {
  /** Makes the n-th access token; `access-n` when left out. */
  readonly accessToken?: (n: number) => string;
  readonly lifeSeconds?: number;
  readonly firstRefreshToken: string;
}

/** A token endpoint that rotates: each refresh token works once, and a second use is refused. */
export function rotatingIssuer(options: IssuerOptions): Answerer {
  let issued = 0;
  let valid = options.firstRefreshToken;
  const used = new Set<string>();
  return (call) => {
    const input = call.fields.refresh_token ?? "";
    if (used.has(input)) return { status: 400, body: { error: "refresh_token_reused" } };
    if (input !== valid) return { status: 400, body: { error: "invalid_grant" } };
    used.add(input);
    issued += 1;
    valid = `refresh-${issued}`;
    return {
      body: {
        access_token: options.accessToken?.(issued) ?? `access-${issued}`,
        refresh_token: valid,
        expires_in: options.lifeSeconds ?? 3600,
      },
    };
  };
}

/** An unsigned token with these claims; only its shape matters to a client. */
export function fakeJwt(claims: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claims)}.sig`;
}
