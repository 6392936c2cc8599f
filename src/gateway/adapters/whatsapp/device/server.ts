import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { readRequestBody } from "#foundation/http/request-body";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Fields } from "../../support/fields.ts";
import { isSame } from "../../support/webhook.ts";
import { CallRefused } from "./call-refused.ts";
import type { Device, DeviceState } from "./device.ts";
import type { DeviceStore, KeptMessage } from "./device-store.ts";
import { chatIn, readSending } from "./outgoing.ts";

export interface BridgeServerDeps {
  readonly device: Device;
  readonly store: DeviceStore;
  readonly token: string;
  readonly logger: Logger;
  /** Resolves when something changed, or after so many milliseconds. */
  changed(withinMs: number): Promise<void>;
}

const largestBody = 1_048_576;
const longestWaitMs = 60_000;
const slowDownSeconds = 5;

/** What the gateway asks of the bridge, over HTTP; whoever does not know the word is told nothing. */
export function bridgeServer(deps: BridgeServerDeps): Server {
  return createServer({ requestTimeout: 30_000 }, async (request, response) => {
    try {
      await answer(request, response, deps);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const status = error instanceof CallRefused ? error.status : 502;
      if (status >= 500) deps.logger.warn("a call failed", { platform: "whatsapp", error: describe(error) });
      if (status === 429) response.setHeader("retry-after", String(slowDownSeconds));
      write(response, status, { error: error instanceof CallRefused ? error.message : "WhatsApp did not take it" });
    }
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, deps: BridgeServerDeps): Promise<void> {
  const { device, token } = deps;
  if (!isSame(request.headers.authorization, `Bearer ${token}`)) throw new CallRefused(401, "wrong token");
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const call = `${request.method} ${url.pathname}`;
  if (call === "GET /health") return write(response, 200, healthOf(device.state));
  if (call === "GET /messages") return write(response, 200, await messages(url.searchParams, deps));
  const [, file] = /^GET \/media\/(.+)$/u.exec(call) ?? [];
  if (file !== undefined) {
    const bytes = await device.file(decodeURIComponent(file));
    response.writeHead(200, { "content-type": "application/octet-stream" });
    return await pipeline(bytes, response);
  }
  if (request.method !== "POST") throw new CallRefused(404, "no such call");
  write(response, 200, await act(url.pathname, await bodyOf(request), device));
}

async function act(path: string, body: Fields, device: Device): Promise<Fields> {
  switch (path) {
    case "/pair":
      device.pair();
      return {};
    case "/typing":
      await device.typing(chatIn(body));
      return {};
    case "/send":
    case "/send-media":
    case "/edit": {
      const id = await device.send(readSending(path, body));
      return path === "/edit" ? {} : { id };
    }
    default:
      throw new CallRefused(404, "no such call");
  }
}

/** Waits for messages, and answers at once when there is something a person must do. */
async function messages(query: URLSearchParams, { device, store, changed }: BridgeServerDeps): Promise<Fields> {
  const waitMs = Math.min(Math.max(Number(query.get("wait") ?? 0) * 1000 || 0, 0), longestWaitMs);
  const untilMs = performance.now() + waitMs;
  const { state } = device.state;
  for (;;) {
    const found = store.after(query.get("after") ?? "");
    const leftMs = untilMs - performance.now();
    const isChanged = device.state.state !== state || state === "logged_out" || state === "pairing";
    if (found.length > 0 || leftMs <= 0 || isChanged)
      return { state: device.state.state, messages: found.map(withCursor) };
    await changed(leftMs);
  }
}

function withCursor({ cursor, body }: KeptMessage): Fields {
  const parsed = parseJson(body);
  return { ...(parsed.ok && isRecord(parsed.value) ? parsed.value : {}), cursor };
}

function healthOf(state: DeviceState): Fields {
  if (state.state === "connected") return { state: "connected", account: state.account };
  if (state.state !== "pairing") return { state: state.state };
  const { qr, code } = state;
  return { state: "pairing", pairing: { qr, ...(code === "" ? {} : { code }) } };
}

async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const bytes = await readRequestBody(request, largestBody);
  if (bytes === undefined) throw new CallRefused(413, "too large");
  const parsed = parseJson(bytes.toString("utf8") || "{}");
  if (!parsed.ok || !isRecord(parsed.value)) throw new CallRefused(400, "no JSON object");
  return parsed.value;
}

function write(response: ServerResponse, status: number, body: Fields): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
