import { type WebSocket, WebSocketServer } from "ws";
import { type FakeService, type Fields, Refused, type ShownIn, startFakeService } from "./fake-service.ts";

export interface QqServer extends Pick<FakeService, "calls" | "nextSend" | "sends" | "url" | "file"> {
  readonly appId: string;
  readonly secret: string;
  message(data: Fields): void;
  repeat(): void;
  shown(): readonly string[];
  shownIn(): readonly ShownIn[];
  /** Ends the sockets as QQ would; without a code the line just breaks. */
  endSockets(code?: number): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** QQ's REST and gateway on loopback; refuses wrong secrets, unknown sessions, long texts, and repeated numbers. */
export async function startQqServer(): Promise<QqServer> {
  const [appId, secret, token] = ["102000001", "qq-fake-secret-0001", "qq-access-0001"];
  const sockets = new Set<WebSocket>();
  const events: Fields[] = [];
  const shown: ShownIn[] = [];
  const people = new Set(["openid1"]);
  const numbers = new Set<string>();
  const refuse = (status: number, code: number, message: string): never => {
    throw new Refused(status, { code, message });
  };
  const service = await startFakeService({
    isSend: ({ path, json }) => path.endsWith("/messages") && json["msg_type"] !== 6,
    limited: { status: 429, json: { code: 22009, message: "msg limit exceed" } },
    refused: { status: 400, json: { code: 304031, message: "invalid markdown" } },
    answer({ path, headers, json }) {
      const [, file] = /^\/files\/(\w+)$/u.exec(path) ?? [];
      if (file !== undefined) return { bytes: service.fileOf(file) ?? "" };
      if (path === "/app/getAppAccessToken") {
        if (json["appId"] !== appId || json["clientSecret"] !== secret) refuse(200, 100016, "invalid appid or secret");
        return { json: { access_token: token, expires_in: "7200" } };
      }
      if (headers.authorization !== `QQBot ${token}`) refuse(401, 11244, "token expired");
      if (path === "/gateway") return { json: { url: `${service.url.replace("http", "ws")}/websocket` } };
      const [, chat = ""] = /^\/v2\/users\/(\w+)\/messages$/u.exec(path) ?? [];
      if (!people.has(chat)) refuse(404, 40034005, "unknown chat");
      if (json["msg_type"] === 6) return { json: {} };
      const text = String((json["markdown"] as Fields | undefined)?.["content"] ?? json["content"] ?? "");
      if (text === "" || [...text].length > 4000) refuse(400, 304003, "content");
      const number = `${String(json["msg_id"])}:${String(json["msg_seq"])}`;
      if (json["msg_id"] !== undefined && numbers.has(number))
        refuse(400, 40054005, "message was dropped as a repetition");
      numbers.add(number);
      shown.push({ chat, text });
      return { json: { id: `out${shown.length}` } };
    },
  });
  const gateway = new WebSocketServer({ server: service.server, path: "/websocket" });
  gateway.on("connection", (socket) => {
    const write = (frame: Fields): void => socket.send(JSON.stringify(frame));
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data) => {
      const { op, d } = JSON.parse(String(data)) as { op: number; d: Fields };
      if (op === 1) return write({ op: 11 });
      if (d["token"] !== `QQBot ${token}`) return socket.close(4004);
      if (op === 6 && d["session_id"] !== "session1") return write({ op: 9, d: false });
      const from = op === 6 ? Number(d["seq"]) : events.length;
      if (op === 2) write({ op: 0, t: "READY", s: from, d: { session_id: "session1", user: { id: appId } } });
      for (const event of events.slice(from)) write(event);
      if (op === 6) write({ op: 0, t: "RESUMED", s: events.length, d: {} });
      sockets.add(socket);
    });
    write({ op: 10, d: { heartbeat_interval: 30_000 } });
  });
  const deliver = (event: Fields | undefined): void => {
    for (const socket of sockets) socket.send(JSON.stringify(event));
  };
  return {
    ...service,
    appId,
    secret,
    message(data) {
      const common = {
        id: `in${events.length}`,
        author: { user_openid: "openid1" },
        timestamp: "2026-01-01T00:00:00+08:00",
      };
      const message: Fields & typeof common = { ...common, content: "", ...data };
      people.add(message.author.user_openid);
      events.push({ op: 0, t: "C2C_MESSAGE_CREATE", s: events.length + 1, d: message });
      deliver(events.at(-1));
    },
    repeat: () => deliver(events.at(-1)),
    shown: () => shown.map(({ text }) => text),
    shownIn: () => [...shown],
    endSockets(code) {
      for (const socket of sockets) code === undefined ? socket.terminate() : socket.close(code);
      sockets.clear();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of gateway.clients) socket.terminate();
      gateway.close();
      await service[Symbol.asyncDispose]();
    },
  };
}
