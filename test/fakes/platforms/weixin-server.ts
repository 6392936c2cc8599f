import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import {
  type FakeAnswer,
  type FakeCall,
  type FakeService,
  type Fields,
  Refused,
  startFakeService,
} from "./fake-service.ts";

export interface WeixinServer extends Pick<FakeService, "calls" | "nextSend" | "sends" | "url"> {
  readonly account: string;
  readonly token: string;
  message(more: Fields): void;
  text(text: string, more?: Fields): void;
  repeat(): void;
  /** The item of a file as people send it. */
  fileItem(bytes: Buffer, fileName: string): Fields;
  shown(): readonly string[];
  shownIn(): readonly { readonly chat: string; readonly text: string; readonly atMs: number }[];
  /** The bytes of a file that was sent, opened with the key beside it. */
  sentFile(): Buffer | undefined;
  /** Words that chats are answered with end. */
  expireContexts(): void;
  /** Polls that wait are cut. */
  cutPolls(): void;
  /** The person scans the code. */
  scan(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Shown {
  readonly chat: string;
  readonly text: string;
  readonly atMs: number;
  readonly clientId: string;
  readonly item: Fields;
}

const knownHeaders = ["x-wechat-uin", "ilink-app-id", "ilink-app-clientversion"];

/** Weixin's bot API and file store; refuses wrong tokens, ended contexts, missing headers, long texts, and damaged files. */
export async function startWeixinServer(): Promise<WeixinServer> {
  const [account, token] = ["bot1@im.bot", "weixin-fake-token-0001"];
  const events: Fields[] = [];
  const shown: Shown[] = [];
  const store = new Map<string, Buffer>();
  const grants = new Map<string, Fields>();
  const ended = new Set<string>();
  let scanned = false;
  let waiting: (() => void)[] = [];
  let cut = 0;
  const wake = (): void => {
    for (const one of waiting.splice(0)) one();
  };
  const refuse = (errcode: number, errmsg: string): never => {
    throw new Refused(200, { ret: errcode, errcode, errmsg });
  };
  const updates = async (json: Fields): Promise<FakeAnswer> => {
    const buffer = String(json["get_updates_buf"]);
    const from = buffer === "" ? events.length : Number(buffer.replace("buf", ""));
    const cutBefore = cut;
    if (buffer !== "" && from >= events.length) await new Promise<void>((resolve) => waiting.push(resolve));
    if (cut !== cutBefore) throw new Refused(502, {});
    return { json: { ret: 0, msgs: events.slice(from), get_updates_buf: `buf${events.length}` } };
  };
  const send = (msg: Fields): FakeAnswer => {
    const [item = {}] = msg["item_list"] as Fields[];
    const clientId = String(msg["client_id"]);
    if (ended.has(String(msg["context_token"]))) refuse(-14, "context expired");
    if (msg["message_type"] !== 2 || msg["message_state"] !== 2 || clientId === "") refuse(-1, "bad message");
    const text = item["type"] === 1 ? String((item["text_item"] as Fields)["text"]) : "[file]";
    if ([...text].length > 4000 || text === "") refuse(-1, "text length");
    const known = shown.findIndex((one) => one.clientId === clientId);
    if (known >= 0) return { json: { ret: 0, message_id: `out${known + 1}` } };
    shown.push({ chat: String(msg["to_user_id"]), text, atMs: Date.now(), clientId, item });
    return { json: { ret: 0, message_id: `out${shown.length}` } };
  };
  const cdn = ({ path, query, body }: FakeCall): FakeAnswer => {
    const param = query.get("encrypted_query_param") ?? "";
    if (path === "/c2c/download") return { bytes: store.get(param) ?? "" };
    const grant = grants.get(param);
    if (grant === undefined || grant["filekey"] !== query.get("filekey") || grant["filesize"] !== body.length)
      throw new Refused(400, {});
    const plain = opened(body, Buffer.from(String(grant["aeskey"]), "hex"));
    if (createHash("md5").update(plain).digest("hex") !== grant["rawfilemd5"]) throw new Refused(400, {});
    store.set(`stored-${param}`, body);
    return { bytes: "", headers: { "x-encrypted-param": `stored-${param}` } };
  };
  const login = (path: string): FakeAnswer => {
    if (path.endsWith("get_bot_qrcode")) return { json: { qrcode: "qr1", qrcode_img_content: `${service.url}/qr1` } };
    if (!scanned) return { json: { status: "wait" } };
    return { json: { status: "confirmed", bot_token: token, ilink_bot_id: account } };
  };
  const service = await startFakeService({
    isSend: ({ path }) => path === "/ilink/bot/sendmessage",
    limited: { json: { ret: -2, errmsg: "too often" } },
    refused: { json: { ret: -1, errmsg: "content" } },
    async answer(call) {
      const { path, headers, json } = call;
      if (path.startsWith("/c2c/")) return cdn(call);
      if (knownHeaders.some((name) => headers[name] === undefined)) throw new Refused(400, { errmsg: "headers" });
      if (path.includes("qrcode")) return login(path);
      if (headers["authorizationtype"] !== "ilink_bot_token" || headers.authorization !== `Bearer ${token}`)
        refuse(-14, "session timeout");
      if (json["base_info"] === undefined) refuse(-1, "base_info");
      if (path === "/ilink/bot/getupdates") return await updates(json);
      if (path === "/ilink/bot/sendmessage") return send(json["msg"] as Fields);
      if (path === "/ilink/bot/getconfig") return { json: { ret: 0, typing_ticket: "ticket" } };
      if (path === "/ilink/bot/sendtyping") return { json: { ret: 0 } };
      if (path !== "/ilink/bot/getuploadurl") throw new Refused(404, {});
      grants.set(`grant${grants.size}`, json);
      return { json: { ret: 0, upload_param: `grant${grants.size - 1}` } };
    },
  });
  const server: WeixinServer = {
    ...service,
    account,
    token,
    message(more) {
      const count = events.length + 1;
      const common = { message_id: `7${count}`, from_user_id: "ada@im.wechat", to_user_id: account, message_type: 1 };
      events.push({ ...common, create_time_ms: 1_700_000_000_000 + count, context_token: `context${count}`, ...more });
      wake();
    },
    text: (text, more = {}) => server.message({ item_list: [{ type: 1, text_item: { text } }], ...more }),
    repeat() {
      const last = events.at(-1);
      if (last !== undefined) events.push(last);
      wake();
    },
    fileItem(bytes, fileName) {
      const key = randomBytes(16);
      const cipher = createCipheriv("aes-128-ecb", key, null);
      const param = `sent${store.size}`;
      store.set(param, Buffer.concat([cipher.update(bytes), cipher.final()]));
      const media = { encrypt_query_param: param, aes_key: Buffer.from(key.toString("hex")).toString("base64") };
      return { type: 4, file_item: { media, file_name: fileName } };
    },
    shown: () => shown.map(({ text }) => text),
    shownIn: () => shown.map(({ chat, text, atMs }) => ({ chat, text, atMs })),
    sentFile() {
      const item = shown.at(-1)?.item ?? {};
      const { media } = (item["image_item"] ?? item["file_item"] ?? {}) as { media?: Fields };
      const sealed = store.get(String(media?.["encrypt_query_param"]));
      const key = Buffer.from(Buffer.from(String(media?.["aes_key"]), "base64").toString("latin1"), "hex");
      return sealed === undefined ? undefined : opened(sealed, key);
    },
    expireContexts() {
      for (const { context_token: context } of events) ended.add(String(context));
    },
    cutPolls() {
      cut += 1;
      wake();
    },
    scan: () => {
      scanned = true;
    },
    async [Symbol.asyncDispose]() {
      cut += 1;
      wake();
      waiting = [];
      await service[Symbol.asyncDispose]();
    },
  };
  return server;
}

function opened(bytes: Buffer, key: Buffer): Buffer {
  const decipher = createDecipheriv("aes-128-ecb", key, null);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}
