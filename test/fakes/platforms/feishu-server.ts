import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { type WebSocket, WebSocketServer } from "ws";
import { type FakeCall, type FakeService, type Fields, formOf, Refused, startFakeService } from "./fake-service.ts";
import { readFeishuFrame, writeFeishuFrame } from "./feishu-frames.ts";
import { type PushedCall, Redelivery } from "./redelivery.ts";

export interface FeishuServer extends Pick<FakeService, "calls" | "nextSend" | "sends" | "url" | "file"> {
  readonly appId: string;
  readonly secret: string;
  readonly encryptKey: string;
  readonly verificationToken: string;
  /** Somebody writes in the chat `oc_ada`, unless it is said otherwise. */
  message(fields: Fields, sender?: Fields): void;
  /** Any other event. */
  event(type: string, event: Fields, header?: Fields): void;
  repeat(): void;
  /** A call as Feishu makes it: encrypted and signed. */
  call(body: Fields): PushedCall;
  /** What was answered to events over the long connection. */
  answers(): readonly Fields[];
  shown(): readonly string[];
  messages(): readonly FeishuMessage[];
  /** Tokens given out so far are refused from now on. */
  expireTokens(): void;
  withdraw(messageId: string): void;
  /** Sends events in parts of at most so many bytes. */
  splitAt(bytes: number): void;
  /** A document and the comments on it. */
  readonly comments: { readonly id: string; readonly isWhole: boolean; readonly replies: string[] }[];
  endSockets(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface FeishuMessage {
  readonly id: string;
  readonly chat: string;
  readonly parent: string;
  readonly inThread: boolean;
  type: string;
  text: string;
  edits: number;
}

const person = { open_id: "ou_ada", union_id: "on_ada", user_id: "ada" };
const longest: Readonly<Record<string, number>> = { text: 150 * 1024, post: 30 * 1024, interactive: 30 * 1024 };

/** Feishu's API, long connection and calls on loopback; refuses what Feishu refuses. */
export async function startFeishuServer(webhook?: string): Promise<FeishuServer> {
  const ids = { appId: "cli_fake0001", secret: "feishu-fake-secret-0001" };
  const keys = { encryptKey: "feishu-encrypt-0001", verificationToken: "feishu-verify-0001" };
  const sockets = new Set<WebSocket>();
  const waiting = new Map<string, Fields>();
  const uuids = new Map<string, string>();
  const gone = new Set<string>();
  const privateChats = new Set(["oc_ada"]);
  const chatOf = new Map<string, string>();
  const messages: FeishuMessage[] = [];
  const answers: Fields[] = [];
  const comments: { id: string; isWhole: boolean; replies: string[] }[] = [];
  const redelivery = new Redelivery();
  let [count, tokens, partBytes] = [0, 0, Number.MAX_SAFE_INTEGER];
  let last: Fields = {};

  const refuse = (code: number, status = 400): never => {
    throw new Refused(status, { code, msg: `refused ${code}` });
  };
  const words = (type: string, content: string): string => {
    if (content.length > (longest[type] ?? Number.MAX_SAFE_INTEGER)) refuse(230025);
    const fields = JSON.parse(content) as Fields;
    if (type === "text") return String(fields["text"]);
    if (type === "post") {
      const [[run] = []] = (fields["zh_cn"] as { content: Fields[][] }).content;
      if (run?.["tag"] !== "md") refuse(230001);
      return String(run?.["text"]);
    }
    if (type === "interactive") {
      const { config, elements } = fields as { config?: Fields; elements: Fields[] };
      if (config?.["update_multi"] !== true) refuse(230099);
      return String(elements.find(({ tag }) => tag === "markdown")?.["content"]);
    }
    if (!/^(?:image|file|audio|media)$/u.test(type)) refuse(230001);
    if (service.fileOf(String(fields["image_key"] ?? fields["file_key"])) === undefined) refuse(230055);
    return `[${type}]`;
  };
  const create = (json: Fields, at: { chat: string; parent: string }): Fields => {
    const uuid = String(json["uuid"] ?? "");
    if (uuid.length > 50) refuse(230001);
    const known = uuid === "" ? undefined : uuids.get(uuid);
    if (known !== undefined) return { message_id: known };
    const type = String(json["msg_type"]);
    const text = words(type, String(json["content"]));
    const id = `om_bot${messages.length}`;
    messages.push({ id, ...at, inThread: json["reply_in_thread"] === true, type, text, edits: 0 });
    uuids.set(uuid, id);
    return { message_id: id };
  };
  const change = ({ method, json }: FakeCall, message: FeishuMessage | undefined): Fields => {
    if (message === undefined) return refuse(230011);
    if (method === "GET") return { items: [{ chat_id: message.chat, sender: { id: ids.appId, sender_type: "app" } }] };
    const isCard = message.type === "interactive";
    // A card is patched and a text is put; the other way round is refused.
    if (isCard !== (method === "PATCH")) refuse(isCard ? 230054 : 230001);
    if (!isCard && message.edits >= 20) refuse(230072);
    message.edits += 1;
    message.type = isCard ? message.type : String(json["msg_type"]);
    message.text = words(message.type, String(json["content"]));
    return {};
  };
  const drive = ({ method, path, json, query }: FakeCall): Fields => {
    if (path.startsWith("/open-apis/docx/v1/documents/"))
      return path.endsWith("/docx1/raw_content") ? { content: "The plan.\nBuy milk." } : refuse(1770002, 404);
    if (query.get("file_type") === null) refuse(1069302);
    const [, id, isReplies] =
      /^\/open-apis\/drive\/v1\/files\/docx1\/comments(?:\/(\w+)(\/replies)?)?$/u.exec(path) ?? refuse(1069307, 404);
    const shownAs = ({ id: comment_id, isWhole: is_whole, replies }: (typeof comments)[number]) => ({
      comment_id,
      is_whole,
      quote: is_whole ? "" : "Buy milk.",
      reply_list: {
        replies: replies.map((text, index) => ({
          reply_id: `${comment_id}r${index}`,
          content: { elements: [{ type: "text_run", text_run: { text } }] },
        })),
      },
    });
    const wordsOf = (content: unknown): string =>
      (content as { elements: { text_run: { text: string } }[] }).elements
        .map(({ text_run: { text } }) => text)
        .join("");
    if (id === "batch_query")
      return { items: comments.filter(({ id: own }) => (json["comment_ids"] as string[]).includes(own)).map(shownAs) };
    if (id === undefined && method === "GET")
      return {
        items: comments.filter(({ isWhole }) => query.get("is_whole") !== "true" || isWhole).map(shownAs),
        has_more: false,
      };
    if (id === undefined) {
      const [reply] = (json["reply_list"] as { replies: Fields[] }).replies;
      comments.push({ id: `c${comments.length}`, isWhole: true, replies: [wordsOf(reply?.["content"])] });
      return { comment_id: `c${comments.length - 1}` };
    }
    const comment = comments.find(({ id: own }) => own === id);
    if (comment === undefined || isReplies === undefined) return refuse(1069307, 404);
    if (method === "GET") return { items: shownAs(comment).reply_list.replies, has_more: false };
    // What is said about a whole document has no replies.
    if (comment.isWhole) refuse(1069302);
    comment.replies.push(wordsOf(json["content"]));
    return { reply_id: `${id}r${comment.replies.length - 1}` };
  };
  const im = async (call: FakeCall): Promise<Fields> => {
    const { method, path, json, query } = call;
    if (path === "/open-apis/im/v1/messages") {
      const to = String(json["receive_id"]);
      const prefixes: Readonly<Record<string, string>> = { chat_id: "oc_", open_id: "ou_", union_id: "on_" };
      if (!to.startsWith(prefixes[query.get("receive_id_type") ?? ""] ?? "oc_")) refuse(230001);
      if (to === "oc_nobody") refuse(230002);
      return create(json, { chat: to, parent: "" });
    }
    const [, chat] = /^\/open-apis\/im\/v1\/chats\/(\w+)$/u.exec(path) ?? [];
    if (chat !== undefined) return { chat_mode: privateChats.has(chat) ? "p2p" : "group" };
    if (path === "/open-apis/im/v1/images" || path === "/open-apis/im/v1/files") {
      const form = await formOf(call);
      const file = form.get(path.endsWith("images") ? "image" : "file");
      if (
        !(file instanceof File) ||
        (path.endsWith("images") ? form.get("image_type") !== "message" : form.get("file_type") === null)
      )
        refuse(234001);
      const key = service.file(Buffer.from(await (file as File).arrayBuffer()));
      return { image_key: key, file_key: key };
    }
    const [, id = "", rest = ""] = /^\/open-apis\/im\/v1\/messages\/(\w+)(?:\/(\w+))?/u.exec(path) ?? [];
    if (gone.has(id)) refuse(230011);
    if (rest === "reply") {
      const parent = messages.find((one) => one.id === id)?.chat ?? chatOf.get(id) ?? "oc_ada";
      return create(json, { chat: parent, parent: id });
    }
    if (method === "GET" && id === "om_bundle")
      return {
        items: [
          { msg_type: "merge_forward" },
          { msg_type: "text", body: { content: '{"text":"one"}' } },
          { msg_type: "image", body: { content: "{}" } },
        ],
      };
    return change(
      call,
      messages.find((one) => one.id === id),
    );
  };
  const service = await startFakeService({
    isSend: ({ method, path }) => method === "POST" && /\/im\/v1\/messages(?:\/\w+\/reply)?$/u.test(path),
    limited: { status: 400, json: { code: 230020, msg: "trigger rate limit" } },
    refused: { status: 400, json: { code: 230001, msg: "content is not valid" } },
    async answer(call) {
      const { path, headers, json } = call;
      if (path === "/callback/ws/endpoint") {
        if (json["AppID"] !== ids.appId || json["AppSecret"] !== ids.secret)
          return { json: { code: 514, msg: "auth failed" } };
        const url = `${service.url.replace("http", "ws")}/ws?device_id=d1&service_id=7`;
        return { json: { code: 0, data: { URL: url, ClientConfig: { PingInterval: 10 } } } };
      }
      if (path === "/open-apis/auth/v3/tenant_access_token/internal") {
        if (json["app_id"] !== ids.appId || json["app_secret"] !== ids.secret)
          return { json: { code: 10014, msg: "app secret invalid" } };
        return { json: { code: 0, tenant_access_token: `t-${tokens}`, expire: 7200 } };
      }
      if (headers.authorization !== `Bearer t-${tokens}`) refuse(99991663);
      if (path === "/open-apis/bot/v3/info")
        return { json: { code: 0, bot: { open_id: "ou_bot", app_name: "Hermes" } } };
      const [, file] = /\/resources\/(\w+)$/u.exec(path) ?? [];
      if (file !== undefined) return { bytes: service.fileOf(file) ?? refuse(234003, 404) };
      return { json: { code: 0, data: /\/(?:docx|drive)\//u.test(path) ? drive(call) : await im(call) } };
    },
  });
  const gateway = new WebSocketServer({ server: service.server, path: "/ws" });
  const deliver = (socket: WebSocket, id: string, body: Fields): void => {
    const payload = Buffer.from(JSON.stringify(body));
    const sum = Math.ceil(payload.length / partBytes) || 1;
    for (let seq = 0; seq < sum; seq += 1) {
      const headers = { type: "event", message_id: id, sum: String(sum), seq: String(seq), trace_id: "t" };
      const part = payload.subarray(seq * partBytes, (seq + 1) * partBytes);
      socket.send(writeFeishuFrame({ service: 7, method: 1, headers, payload: part }));
    }
  };
  gateway.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data: Buffer) => {
      const { method, service: id, headers, payload } = readFeishuFrame(data);
      if (id !== 7) return socket.close();
      if (method === 0 && headers["type"] === "ping")
        return socket.send(
          writeFeishuFrame({ service: 7, method: 0, headers: { type: "pong" }, payload: Buffer.from("{}") }),
        );
      const answer = JSON.parse(payload.toString("utf8")) as { code: number; data?: string };
      if (answer.code !== 200 || headers["biz_rt"] === undefined) return;
      waiting.delete(headers["message_id"] ?? "");
      if (answer.data !== undefined)
        answers.push(JSON.parse(Buffer.from(answer.data, "base64").toString("utf8")) as Fields);
    });
    for (const [id, body] of waiting) deliver(socket, id, body);
  });
  const call = (body: Fields): PushedCall => {
    const iv = randomBytes(16);
    const cipher = createCipheriv("aes-256-cbc", createHash("sha256").update(keys.encryptKey).digest(), iv);
    const encrypt = Buffer.concat([iv, cipher.update(JSON.stringify(body)), cipher.final()]).toString("base64");
    const text = JSON.stringify({ encrypt });
    const [timestamp, nonce] = ["1700000000", "n1"];
    const signature = createHash("sha256")
      .update(timestamp + nonce + keys.encryptKey + text)
      .digest("hex");
    return {
      url: webhook ?? "",
      headers: {
        "content-type": "application/json",
        "x-lark-request-timestamp": timestamp,
        "x-lark-request-nonce": nonce,
        "x-lark-signature": signature,
      },
      body: text,
    };
  };
  const push = (body: Fields): void => {
    last = body;
    if (webhook !== undefined) return void redelivery.push(call(body));
    count += 1;
    const id = `f${count}`;
    waiting.set(id, body);
    for (const socket of sockets) deliver(socket, id, body);
  };
  const event = (event_type: string, inner: Fields, header: Fields = {}): void => {
    count += 1;
    const about = {
      event_id: `ev${count}`,
      event_type,
      create_time: "1700000000000000",
      token: keys.verificationToken,
    };
    push({ schema: "2.0", header: { ...about, app_id: ids.appId, ...header }, event: inner });
  };
  return {
    ...service,
    ...ids,
    ...keys,
    comments,
    call,
    event,
    answers: () => answers,
    message(fields, sender = person) {
      count += 1;
      const about = { message_id: `om_in${count}`, chat_id: "oc_ada", chat_type: "p2p", create_time: "1700000000000" };
      const message: Fields & typeof about = { ...about, ...fields };
      chatOf.set(message.message_id, message.chat_id);
      if (message.chat_type === "p2p") privateChats.add(message.chat_id);
      event("im.message.receive_v1", {
        sender: { sender_id: sender, sender_type: "user", tenant_key: "t1" },
        message,
      });
    },
    repeat: () => push(last),
    shown: () => messages.map(({ text }) => text),
    messages: () => messages,
    expireTokens() {
      tokens += 1;
    },
    withdraw: (id) => void gone.add(id),
    splitAt(bytes) {
      partBytes = bytes;
    },
    endSockets() {
      for (const socket of sockets) socket.terminate();
      sockets.clear();
    },
    async [Symbol.asyncDispose]() {
      await redelivery[Symbol.asyncDispose]();
      for (const socket of gateway.clients) socket.terminate();
      gateway.close();
      await service[Symbol.asyncDispose]();
    },
  };
}
