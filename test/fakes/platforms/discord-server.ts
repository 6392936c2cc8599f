import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { DiscordGuild, refused } from "./discord-guild.ts";
import { DiscordMenu } from "./discord-menu.ts";

export interface DiscordMessage {
  readonly id: string;
  readonly channelId: string;
  readonly content: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type DiscordTrouble =
  | "accept-then-cut"
  /** Done, but no answer and no end of the connection. */
  | "accept-then-silent"
  | "cut"
  | { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

export interface DiscordServer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly calls: { readonly method: string; readonly path: string; readonly body: Record<string, unknown> }[];
  shown(): readonly DiscordMessage[];
  /** Tells all connected clients; kept for those that resume. */
  dispatch(type: string, data: Record<string, unknown>): void;
  /** The last event once more, with a number of its own. */
  repeat(): void;
  file(bytes: Buffer): string;
  trouble(...troubles: readonly DiscordTrouble[]): void;
  dropSockets(): void;
  identified(): number;
  resumed(): number;
  readonly guild: DiscordGuild;
  readonly menu: DiscordMenu;
}

/** So that many people can write, every channel of this series is one. */
const manyChannels = /^70000000000\d{7}$/u;

/**
 * Discord's REST API and gateway on loopback: heartbeats, identify, resume with what was missed, nonces, limits.
 * `socketUrl` is where it says that its gateway is.
 */
export async function startDiscordServer({ socketUrl }: { readonly socketUrl?: string } = {}): Promise<DiscordServer> {
  const token = "fake.discord.token-000000000001";
  const calls: { method: string; path: string; body: Record<string, unknown> }[] = [];
  const shown: DiscordMessage[] = [];
  const nonces = new Map<string, DiscordMessage>();
  const files = new Map<string, Buffer>();
  const troubles: DiscordTrouble[] = [];
  const threads = new Set<string>();
  const events: { readonly s: number; readonly t: string; readonly d: Record<string, unknown> }[] = [];
  const ready = new Set<WebSocket>();
  const sockets = new Set<WebSocket>();
  let [sequence, count, identified, resumed] = [0, 0, 0, 0];
  let url = "";

  function post(channelId: string, body: Record<string, unknown>): DiscordMessage {
    if (!manyChannels.test(channelId) && !threads.has(channelId)) throw refused(404, 10_003, "Unknown Channel");
    const content = String(body["content"] ?? "");
    if ([...content].length > 2000) throw refused(400, 50_035, "Invalid Form Body");
    if (content.trim() === "" && body["file_bytes"] === undefined)
      throw refused(400, 50_006, "Cannot send an empty message");
    const nonce = body["enforce_nonce"] === true ? String(body["nonce"]) : undefined;
    if (nonce !== undefined && nonce.length > 25) throw refused(400, 50_035, "Invalid Form Body");
    const before = nonce === undefined ? undefined : nonces.get(nonce);
    if (before !== undefined) return before;
    count += 1;
    const message = { id: `80000000000000000${count}`, channelId, content, body };
    shown.push(message);
    if (nonce !== undefined) nonces.set(nonce, message);
    return message;
  }

  const guild = new DiscordGuild();
  const menu = new DiscordMenu();

  function act(method: string, path: string, body: Record<string, unknown>): unknown {
    const inMenu = menu.act(method, path, body);
    if (inMenu !== undefined) return inMenu;
    const managed = guild.act({ method, path }, shown);
    if (managed !== undefined) return managed;
    const [, channelId = "", rest = ""] = /^\/channels\/(\d+)(.*)$/u.exec(path) ?? [];
    if (path === "/users/@me") return { id: "42", username: "hermes", discriminator: "0", bot: true };
    if (path === "/gateway/bot")
      return {
        url: socketUrl ?? url.replace("http", "ws"),
        shards: 1,
        session_start_limit: { total: 1000, remaining: 999, reset_after: 1, max_concurrency: 1 },
      };
    if (method === "POST" && rest === "/messages") return post(channelId, body);
    const [, edited = ""] = /^\/messages\/(\d+)$/u.exec(rest) ?? [];
    const at = shown.findIndex(({ id }) => id === edited);
    const before = shown[at];
    if (method === "PATCH" && before !== undefined) {
      shown[at] = { ...before, content: String(body["content"]) };
      return { id: edited };
    }
    if (method === "PATCH") throw refused(404, 10_008, "Unknown Message");
    const [, started] = /^\/messages\/(\d+)\/threads$/u.exec(rest) ?? [];
    if (started !== undefined) {
      if (threads.has(started)) throw refused(400, 160_004, "A thread has already been created for this message");
      threads.add(started);
      return { id: started };
    }
    return {};
  }

  const server = createServer(async (request, response) => {
    const bytes = await bodyOf(request);
    const path = (request.url ?? "").replace("/api/v10", "");
    if (path.startsWith("/files/")) return void response.writeHead(200).end(files.get(path.slice(7)));
    const answer = (status: number, body: unknown): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bot ${token}`) return answer(401, { message: "401: Unauthorized", code: 0 });
    const body = readBody(request, bytes);
    const method = request.method ?? "";
    calls.push({ method, path, body });
    const isSend = method === "POST" && path.endsWith("/messages");
    const trouble = isSend ? troubles.shift() : undefined;
    if (trouble === "cut") return void request.socket.destroy();
    if (typeof trouble === "object") return answer(trouble.status, trouble.body);
    try {
      const result = act(method, path, body);
      if (trouble === "accept-then-silent") return;
      if (trouble === "accept-then-cut") return void request.socket.destroy();
      answer(200, result);
    } catch (error) {
      const { status = 500, code = 0, message } = error as { status?: number; code?: number; message: string };
      answer(status, { message, code });
    }
  });

  const gateway = new WebSocketServer({ server });
  gateway.on("connection", (socket) => {
    sockets.add(socket);
    const send = (payload: unknown): void => socket.send(JSON.stringify(payload));
    socket.on("close", () => {
      sockets.delete(socket);
      ready.delete(socket);
    });
    socket.on("message", (data) => {
      const { op, d } = JSON.parse(String(data)) as { op: number; d: Record<string, unknown> };
      if (op === 1) send({ op: 11 });
      if (op === 2) {
        if (d["token"] !== token) return socket.close(4004);
        identified += 1;
        sequence += 1;
        const user = { id: "42", username: "hermes", discriminator: "0" };
        send({
          op: 0,
          t: "READY",
          s: sequence,
          d: {
            v: 10,
            user,
            guilds: [],
            session_id: "session-1",
            resume_gateway_url: socketUrl ?? url.replace("http", "ws"),
            application: { id: "42", flags: 0 },
          },
        });
        ready.add(socket);
      }
      if (op === 6) {
        resumed += 1;
        ready.add(socket);
        for (const event of events) if (event.s > Number(d["seq"])) send({ op: 0, ...event });
        sequence += 1;
        send({ op: 0, t: "RESUMED", s: sequence, d: {} });
      }
    });
    send({ op: 10, d: { heartbeat_interval: 1_000 } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const self: DiscordServer = {
    url,
    token,
    guild,
    menu,
    calls,
    shown: () => [...shown],
    dispatch(type, data) {
      sequence += 1;
      const event = { s: sequence, t: type, d: data };
      events.push(event);
      for (const socket of ready) socket.send(JSON.stringify({ op: 0, ...event }));
    },
    repeat() {
      const last = events.at(-1);
      if (last !== undefined) self.dispatch(last.t, last.d);
    },
    file(bytes) {
      const name = `f${files.size}`;
      files.set(name, bytes);
      return `${url}/files/${name}`;
    },
    trouble: (...more) => void troubles.push(...more),
    dropSockets() {
      for (const socket of sockets) socket.terminate();
    },
    identified: () => identified,
    resumed: () => resumed,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate();
      gateway.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function readBody(request: IncomingMessage, bytes: Buffer): Record<string, unknown> {
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/")) {
    const json = /name="payload_json"\r\n\r\n([\s\S]*?)\r\n--/u.exec(bytes.toString("utf8"))?.[1] ?? "{}";
    return { ...(JSON.parse(json) as Record<string, unknown>), file_bytes: bytes.length };
  }
  return bytes.length === 0 ? {} : (JSON.parse(bytes.toString("utf8")) as Record<string, unknown>);
}
