import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { type PushedCall, Redelivery } from "./redelivery.ts";

export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly text: string;
  readonly thread_ts?: string;
  readonly metadata?: unknown;
}

export interface SlackServer extends AsyncDisposable {
  readonly url: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  /** Of a second workspace, T2, whose channels begin with C2 and D2. */
  readonly otherToken: string;
  readonly calls: { readonly method: string; readonly token: string; readonly body: Record<string, unknown> }[];
  shown(): readonly SlackMessage[];
  /** Somebody wrote it before the app was there. */
  said(message: SlackMessage & { readonly user: string }): void;
  /** Sends an event until it is acknowledged, over whichever socket is open. */
  event(event: Record<string, unknown>, team?: string): void;
  envelope(type: string, payload: Record<string, unknown>): void;
  /** Delivers the last envelope again. */
  repeat(): void;
  /** An envelope as Slack calls an address with it: JSON or a form, signed. */
  call(type: string, payload: Record<string, unknown>, more?: Readonly<Record<string, string>>): PushedCall;
  file(bytes: Buffer, options?: { readonly type?: string; readonly isOther?: boolean }): string;
  trouble(
    method: string,
    ...answers: readonly ("ratelimited" | "accept-then-cut" | "cut" | { readonly error: string })[]
  ): void;
  dropSockets(): void;
  /** From now on acknowledgements do not arrive, or arrive again. */
  loseAcknowledgements(isLost: boolean): void;
  /** Of those sent over sockets. */
  unacknowledged(): number;
}

/** So that many people can write, every channel of this series is one. */
const channels = /^[CD]000000\d{4}$/u;
const otherChannels = /^[CD]200000\d{4}$/u;

/**
 * Slack's Web API and Socket Mode on loopback; refuses wrong tokens, unknown channels, long texts and broken blocks. With
 * an address it calls that one instead, as for an app without Socket Mode.
 */
export async function startSlackServer(webhook?: string): Promise<SlackServer> {
  const [botToken, appToken] = ["xoxb-fake-bot-token-0001", "xapp-fake-app-token-0001"];
  const otherToken = "xoxb-fake-bot-token-0002";
  const signingSecret = "fake0signing0secret0001";
  const redelivery = new Redelivery();
  const calls: { method: string; token: string; body: Record<string, unknown> }[] = [];
  const said: SlackMessage[] = [];
  const shown: SlackMessage[] = [];
  const waiting = new Map<string, Record<string, unknown>>();
  const troubles = new Map<string, unknown[]>();
  const files = new Map<string, { bytes: Buffer; type: string; isOther: boolean }>();
  const sockets = new Set<WebSocket>();
  let count = 0;
  let losesAcknowledgements = false;
  let last: Record<string, unknown> = {};
  let url = "";

  const actions: Record<string, (body: Record<string, unknown>, token: string) => Record<string, unknown>> = {
    "auth.test": (_body, token) =>
      token === otherToken
        ? { user_id: "U0BOT2", team_id: "T2", bot_id: "B0BOT2", user: "hermes" }
        : { user_id: "U0BOT", team_id: "T1", bot_id: "B0BOT", user: "hermes" },
    "apps.connections.open": () => ({ url: `${url.replace("http", "ws")}/socket` }),
    "chat.postMessage"(body, token) {
      check(body, token === otherToken ? otherChannels : channels);
      count += 1;
      const ts = `170000${count}.000100`;
      const { channel, text, thread_ts, metadata } = body as unknown as SlackMessage;
      shown.push({ channel, ts, text, metadata, ...(thread_ts === undefined ? {} : { thread_ts }) });
      return { ts, channel };
    },
    "chat.update"(body, token) {
      check(body, token === otherToken ? otherChannels : channels);
      const at = shown.findIndex(({ ts }) => ts === body["ts"]);
      const before = shown[at];
      if (before === undefined) throw new Error("message_not_found");
      shown[at] = { ...before, text: String(body["text"]) };
      return { ts: body["ts"] };
    },
    "chat.delete": () => ({}),
    "chat.postEphemeral": () => ({}),
    "reactions.add": () => ({}),
    "reactions.remove": () => ({}),
    "assistant.threads.setStatus": () => ({}),
    "conversations.list": () => ({ channels: [{ id: "C0000000001", name: "general", is_member: true }] }),
    "conversations.history": ({ channel }) => ({ messages: shown.filter((one) => one.channel === channel) }),
    "conversations.replies": ({ channel, ts }) => ({
      messages: [...said, ...shown].filter((one) => one.channel === channel && (one.thread_ts === ts || one.ts === ts)),
    }),
    "files.getUploadURLExternal": () => ({ upload_url: `${url}/upload`, file_id: "F1" }),
    "files.completeUploadExternal"(body) {
      count += 1;
      shown.push({ channel: String(body["channel_id"]), ts: `1.${count}`, text: "[file]" });
      return {};
    },
  };

  const server = createServer(async (request, response) => {
    const bytes = await bodyOf(request);
    const name = (request.url ?? "").replace("/api/", "").replace(/^\//u, "");
    const authorization = request.headers.authorization;
    if (name.startsWith("file/")) {
      const file = files.get(name.slice(5));
      const reader = file?.isOther === true ? otherToken : botToken;
      if (authorization !== `Bearer ${reader}` || file === undefined)
        return void response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>");
      return void response.writeHead(200, { "content-type": file.type }).end(file.bytes);
    }
    if (name === "upload") return void response.writeHead(200).end("OK");
    const answer = (body: unknown, status = 200, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    const token = authorization?.replace("Bearer ", "") ?? "";
    const expected = name === "apps.connections.open" ? [appToken] : [botToken, otherToken];
    if (!expected.includes(token)) return answer({ ok: false, error: "invalid_auth" });
    const body = bytes.length === 0 ? {} : (JSON.parse(bytes.toString("utf8")) as Record<string, unknown>);
    calls.push({ method: name, token, body });
    const trouble = troubles.get(name)?.shift();
    if (trouble === "cut") return void request.socket.destroy();
    if (trouble === "ratelimited") return answer({ ok: false, error: "ratelimited" }, 429, { "retry-after": "3" });
    if (typeof trouble === "object" && trouble !== null) return answer({ ok: false, ...trouble });
    try {
      const result = actions[name]?.(body, token);
      if (trouble === "accept-then-cut") return void request.socket.destroy();
      answer(result === undefined ? { ok: false, error: "unknown_method" } : { ok: true, ...result });
    } catch (error) {
      answer({ ok: false, error: (error as Error).message });
    }
  });
  const gateway = new WebSocketServer({ server, path: "/socket" });
  gateway.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data) => {
      const { envelope_id: id } = JSON.parse(String(data)) as { envelope_id?: string };
      if (id !== undefined && !losesAcknowledgements) waiting.delete(id);
    });
    socket.send(JSON.stringify({ type: "hello", num_connections: 1 }));
    for (const envelope of waiting.values()) socket.send(JSON.stringify(envelope));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const call: SlackServer["call"] = (type, payload, more = {}) => {
    const isEvent = type === "events_api";
    const form = type === "interactive" ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>);
    const body = isEvent ? JSON.stringify({ type: "event_callback", ...payload }) : String(new URLSearchParams(form));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const hash = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
    const headers = {
      "content-type": isEvent ? "application/json" : "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${hash}`,
      ...more,
    };
    return { url: webhook ?? "", headers, body };
  };
  const deliver = (envelope: Record<string, unknown>): void => {
    last = envelope;
    if (webhook !== undefined) {
      const retry =
        "retry_attempt" in envelope ? { "x-slack-retry-num": "1", "x-slack-retry-reason": "http_timeout" } : {};
      const payload = envelope["payload"] as Record<string, unknown>;
      redelivery.push(call(String(envelope["type"]), payload, retry));
      return;
    }
    waiting.set(String(envelope["envelope_id"]), envelope);
    for (const socket of sockets) socket.send(JSON.stringify(envelope));
  };
  const self: SlackServer = {
    url: `${url}/api`,
    botToken,
    otherToken,
    appToken,
    signingSecret,
    calls,
    call,
    shown: () => [...shown],
    said: (message) => void said.push(message),
    event: (event, team = "T1") => self.envelope("events_api", { team_id: team, event_id: `Ev${count + 1}`, event }),
    envelope(type, payload) {
      count += 1;
      deliver({ envelope_id: `e${count}`, type, payload, accepts_response_payload: false });
    },
    repeat: () => deliver({ ...last, retry_attempt: 1 }),
    file(bytes, { type = "application/pdf", isOther = false } = {}) {
      const id = `f${files.size}`;
      files.set(id, { bytes, type, isOther });
      return `${url}/file/${id}`;
    },
    trouble(method, ...answers) {
      troubles.set(method, [...(troubles.get(method) ?? []), ...answers]);
    },
    dropSockets() {
      for (const socket of sockets) socket.terminate();
    },
    loseAcknowledgements(isLost) {
      losesAcknowledgements = isLost;
    },
    unacknowledged: () => waiting.size,
    async [Symbol.asyncDispose]() {
      await redelivery[Symbol.asyncDispose]();
      for (const socket of sockets) socket.terminate();
      gateway.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

function check(body: Record<string, unknown>, known: RegExp): void {
  if (!known.test(String(body["channel"]))) throw new Error("channel_not_found");
  const text = String(body["text"] ?? "");
  if (text.trim() === "") throw new Error("no_text");
  if ([...text].length > 40_000) throw new Error("msg_too_long");
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
