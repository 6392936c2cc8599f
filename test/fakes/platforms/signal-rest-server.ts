import { type WebSocket, WebSocketServer } from "ws";
import { type FakeService, type Fields, Refused, type ShownIn, startFakeService } from "./fake-service.ts";

export interface SignalRestServer extends Pick<FakeService, "nextSend" | "sends" | "url" | "file" | "calls"> {
  readonly account: string;
  envelope(envelope: Fields): void;
  repeat(): void;
  shown(): readonly string[];
  shownIn(): readonly ShownIn[];
  dropSockets(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The container signal-cli-rest-api on loopback; refuses unknown accounts and empty messages. */
export async function startSignalRestServer(): Promise<SignalRestServer> {
  const account = "+4915100000001";
  const sockets = new Set<WebSocket>();
  // Until somebody listens Signal's own server keeps it.
  const waiting: Fields[] = [];
  const shown: ShownIn[] = [];
  let last: Fields = {};
  let nowMs = 1_700_000_000_000;
  const service = await startFakeService({
    isSend: ({ path }) => path === "/v2/send",
    limited: { status: 429, json: { error: "Rate limited for +4917011111" }, headers: { "retry-after": "3" } },
    refused: { status: 400, json: { error: "Invalid message" } },
    answer({ method, path, json }) {
      const own = encodeURIComponent(account);
      if (path === "/v1/health") return { status: 204, bytes: "" };
      if (path === "/v1/accounts") return { json: [account] };
      const [, file] = /^\/v1\/attachments\/(\w+)$/u.exec(path) ?? [];
      if (file !== undefined) return { bytes: service.fileOf(file) ?? "" };
      const isSmall = path === `/v1/typing-indicator/${own}` || path === `/v1/reactions/${own}`;
      if (isSmall && typeof json["recipient"] === "string") return { status: 204, bytes: "" };
      if (method !== "POST" || path !== "/v2/send") throw new Refused(404, { error: "no such route" });
      const { number, message, recipients, base64_attachments: files = [] } = json;
      const [chat] = recipients as string[];
      if (number !== account || chat === undefined) throw new Refused(400, { error: "Unregistered user" });
      const [data] = files as string[];
      if (message === "" && data === undefined) throw new Refused(400, { error: "no message" });
      const [, name] = /^data:[\w/+.-]+;filename=([^;]+);base64,/u.exec(data ?? "") ?? [];
      if (data !== undefined && name === undefined) throw new Refused(400, { error: "no attachment" });
      nowMs += 1;
      shown.push({ chat, text: name === undefined ? String(message) : `[${name}]` });
      return { status: 201, json: { timestamp: String(nowMs) } };
    },
  });
  const receiver = new WebSocketServer({ server: service.server, path: `/v1/receive/${encodeURIComponent(account)}` });
  receiver.on("connection", (socket) => {
    socket.on("close", () => sockets.delete(socket));
    sockets.add(socket);
    for (const envelope of waiting.splice(0)) write(socket, envelope);
  });
  const write = (socket: WebSocket, envelope: Fields): void => socket.send(JSON.stringify({ account, envelope }));
  const deliver = (envelope: Fields): void => {
    last = envelope;
    if (sockets.size === 0) waiting.push(envelope);
    for (const socket of sockets) write(socket, envelope);
  };
  return {
    ...service,
    account,
    envelope(envelope) {
      nowMs += 1;
      const from = { sourceNumber: "+4917011111111", sourceUuid: "6f1c1d2e-0000-4000-8000-000000000001" };
      deliver({ ...from, sourceName: "Alice", timestamp: nowMs, ...envelope });
    },
    repeat: () => deliver(last),
    shown: () => shown.map(({ text }) => text),
    shownIn: () => [...shown],
    dropSockets() {
      for (const socket of sockets) socket.terminate();
      sockets.clear();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of receiver.clients) socket.terminate();
      receiver.close();
      await service[Symbol.asyncDispose]();
    },
  };
}
