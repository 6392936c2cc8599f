import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { type WebSocket, WebSocketServer } from "ws";
import { type FakeService, type Fields, type SendTrouble, startFakeService } from "./fake-service.ts";
import { Handover } from "./handover.ts";

export interface WecomBotServer extends Pick<FakeService, "url"> {
  readonly socketUrl: string;
  readonly botId: string;
  readonly secret: string;
  message(body: Fields): void;
  repeat(): void;
  /** Frames that were sent to it, without pings. */
  readonly frames: readonly Fields[];
  shown(): readonly string[];
  shownIn(): readonly { readonly chat: string; readonly text: string }[];
  sends(): number;
  nextSend(trouble: SendTrouble): void;
  /** The address and the key of a file that is stored encrypted. */
  encryptedFile(bytes: Buffer): { readonly url: string; readonly aeskey: string };
  /** What the next subscriptions are answered with. */
  answerSubscriptions(errcode: number, errmsg: string): void;
  ignorePings(): void;
  connections(): number;
  endSockets(): void;
  /** What was written to sockets that have ended; nothing is written again. */
  handedOver(): readonly (readonly string[])[];
  [Symbol.asyncDispose](): Promise<void>;
}

interface Upload {
  readonly type: string;
  readonly filename: string;
  readonly chunks: (Buffer | undefined)[];
  readonly md5: string;
}

/** The socket of WeCom's AI bots; refuses wrong secrets, requests it did not make, long texts, and damaged uploads. */
export async function startWecomBotServer(): Promise<WecomBotServer> {
  const [botId, secret] = ["aibfake0001", "wecom-bot-secret-0001"];
  const sockets = new Set<WebSocket>();
  const handover = new Handover<WebSocket>();
  const frames: Fields[] = [];
  const waiting: Fields[] = [];
  const asked = new Map<string, string>();
  const uploads = new Map<string, Upload>();
  const media = new Map<string, Upload>();
  const shown: { chat: string; text: string }[] = [];
  const troubles: SendTrouble[] = [];
  let subscription = { errcode: 0, errmsg: "ok" };
  let answersPings = true;
  let [count, sends, connections] = [0, 0, 0];
  let last: Fields = {};
  const files = await startFakeService({
    isSend: () => false,
    limited: {},
    refused: {},
    answer: ({ path }) => ({ bytes: files.fileOf(path.slice(1)) ?? "" }),
  });

  const show = (chat: string | undefined, body: Fields): Fields => {
    if (chat === undefined) return { errcode: 846605, errmsg: "invalid req_id" };
    if (chat === "nobody") return { errcode: 93006, errmsg: "invalid chatid" };
    const type = String(body["msgtype"]);
    const content = body[type] as Fields;
    const file = media.get(String(content["media_id"]));
    if (type !== "markdown" && file?.type !== type) return { errcode: 40007, errmsg: "invalid media_id" };
    const text = type === "markdown" ? String(content["content"]) : `[${type} ${file?.filename}]`;
    if ([...text].length > 4096) return { errcode: 40058, errmsg: "content exceeds" };
    shown.push({ chat, text });
    return { errcode: 0, errmsg: "ok", body: { msgid: `out${shown.length}` } };
  };
  const upload = (cmd: string, body: Fields): Fields => {
    const id = String(body["upload_id"]);
    if (cmd === "aibot_upload_media_init") {
      const next = `up${uploads.size}`;
      const total = Number(body["total_chunks"]);
      if (total < 1 || total > 100) return { errcode: 40058, errmsg: "total_chunks" };
      const chunks = Array.from<Buffer | undefined>({ length: total });
      uploads.set(next, {
        type: String(body["type"]),
        filename: String(body["filename"]),
        chunks,
        md5: String(body["md5"]),
      });
      return { errcode: 0, body: { upload_id: next } };
    }
    const found = uploads.get(id);
    if (found === undefined) return { errcode: 40058, errmsg: "upload_id" };
    if (cmd === "aibot_upload_media_chunk") {
      const chunk = Buffer.from(String(body["base64_data"]), "base64");
      if (chunk.length > 512 * 1024) return { errcode: 40006, errmsg: "chunk too large" };
      found.chunks[Number(body["chunk_index"])] = chunk;
      return { errcode: 0 };
    }
    const bytes = Buffer.concat(found.chunks.map((chunk) => chunk ?? Buffer.alloc(0)));
    if (createHash("md5").update(bytes).digest("hex") !== found.md5) return { errcode: 40058, errmsg: "md5" };
    media.set(`media-${id}`, found);
    return { errcode: 0, body: { media_id: `media-${id}`, type: found.type } };
  };
  const answerTo = (socket: WebSocket, frame: { cmd: string; headers: { req_id: string }; body: Fields }): void => {
    const { cmd, headers, body } = frame;
    const write = (answer: Fields): void => socket.send(JSON.stringify({ headers, ...answer }));
    if (cmd === "ping") return void (answersPings ? write({ errcode: 0, errmsg: "ok" }) : undefined);
    frames.push(frame as unknown as Fields);
    if (cmd === "aibot_subscribe") {
      const isKnown = body["bot_id"] === botId && body["secret"] === secret;
      const answer = isKnown ? subscription : { errcode: 853000, errmsg: "invalid bot_id or secret" };
      write(answer);
      if (answer.errcode !== 0) return;
      sockets.add(socket);
      for (const one of waiting.splice(0)) hand(socket, one);
      return;
    }
    if (!sockets.has(socket)) return void write({ errcode: 846600, errmsg: "not subscribed" });
    if (cmd.startsWith("aibot_upload_media_")) return void write(upload(cmd, body));
    sends += 1;
    const trouble = troubles.shift();
    if (trouble === "server-error") return void write({ errcode: -1, errmsg: "system busy" });
    if (trouble === "rate-limited") return void write({ errcode: 846607, errmsg: "frequency limit exceeded" });
    if (trouble === "refused-markup") return void write({ errcode: 40058, errmsg: "invalid markdown" });
    if (trouble === "cut") return void socket.terminate();
    const chat = cmd === "aibot_respond_msg" ? asked.get(headers.req_id) : String(body["chatid"]);
    const answer = show(chat, body);
    if (trouble === "accept-then-cut") return void socket.terminate();
    write(answer);
  };
  const server = new WebSocketServer({ server: files.server });
  server.on("connection", (socket) => {
    connections += 1;
    socket.on("close", () => end(socket));
    socket.on("message", (data) => answerTo(socket, JSON.parse(String(data))));
  });
  const hand = (socket: WebSocket, frame: Fields): void => {
    socket.send(JSON.stringify(frame));
    handover.wrote(socket, JSON.stringify(frame));
  };
  const end = (socket: WebSocket): void => {
    sockets.delete(socket);
    handover.ended(socket);
  };
  const deliver = (frame: Fields): void => {
    last = frame;
    if (sockets.size === 0) waiting.push(frame);
    for (const socket of sockets) hand(socket, frame);
  };
  return {
    url: files.url,
    socketUrl: files.url.replace("http", "ws"),
    botId,
    secret,
    frames,
    message(body) {
      count += 1;
      const common = { msgid: `in${count}`, aibotid: botId, chattype: "single", from: { userid: "ada" } };
      const whole: Fields = { ...common, create_time: 1_700_000_000, ...body };
      asked.set(`req${count}`, String(whole["chatid"] ?? (whole["from"] as Fields)["userid"]));
      deliver({ cmd: "aibot_msg_callback", headers: { req_id: `req${count}` }, body: whole });
    },
    repeat: () => deliver(last),
    shown: () => shown.map(({ text }) => text),
    shownIn: () => [...shown],
    sends: () => sends,
    nextSend: (trouble) => void troubles.push(trouble),
    encryptedFile(bytes) {
      const key = randomBytes(32);
      const filling = 32 - (bytes.length % 32);
      const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
      const sealed = Buffer.concat([
        cipher.update(bytes),
        cipher.update(Buffer.alloc(filling, filling)),
        cipher.final(),
      ]);
      return { url: `${files.url}/${files.file(sealed)}`, aeskey: key.toString("base64") };
    },
    answerSubscriptions: (errcode, errmsg) => {
      subscription = { errcode, errmsg };
    },
    ignorePings: () => {
      answersPings = false;
    },
    connections: () => connections,
    endSockets() {
      for (const socket of sockets) {
        socket.terminate();
        end(socket);
      }
    },
    handedOver: () => handover.over(),
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate();
      server.close();
      await files[Symbol.asyncDispose]();
    },
  };
}
