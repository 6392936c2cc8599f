import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { type FakeService, Refused, type ShownIn, startFakeService } from "./fake-service.ts";
import { Redelivery } from "./redelivery.ts";

export interface WecomCredentials {
  readonly corpId: string;
  readonly corpSecret: string;
  readonly token: string;
  readonly encodingKey: string;
}

export interface WecomServer extends Pick<FakeService, "nextSend" | "sends" | "url"> {
  readonly apps: readonly [WecomCredentials, WecomCredentials];
  /** Somebody writes to an app: Alice to the first, unless it is said otherwise. */
  message(content: string, app?: WecomCredentials, user?: string, at?: Date): void;
  /** A signed call as it goes over the wire. */
  call(text: string, app: WecomCredentials): { readonly url: string; readonly body: string };
  repeat(): void;
  shown(): readonly string[];
  shownIn(): readonly ShownIn[];
  /** Whose token sent each. */
  senders(): readonly string[];
  expireTokens(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const app = (name: string): WecomCredentials => ({
  corpId: `ww${name}`,
  corpSecret: `secret-of-${name}-0001`,
  token: `token-${name}-0001`,
  encodingKey: createHash("sha256").update(name).digest("base64").slice(0, 43),
});

/** WeCom's API and its encrypted calls; refuses wrong secrets, stale tokens, unknown people and long texts. */
export async function startWecomServer(local: string): Promise<WecomServer> {
  const apps = [app("one"), app("two")] as const;
  const shown: ShownIn[] = [];
  const people = new Set(["alice"]);
  const senders: string[] = [];
  const tokens = new Map<string, string>();
  const calls = new Redelivery();
  let count = 0;
  const refuse = (errcode: number, errmsg: string): never => {
    throw new Refused(200, { errcode, errmsg });
  };
  const service = await startFakeService({
    isSend: ({ path }) => path === "/cgi-bin/message/send",
    limited: { json: { errcode: 45009, errmsg: "reach max api daily quota limit" } },
    refused: { json: { errcode: 40008, errmsg: "invalid message type" } },
    answer({ path, query, json }) {
      if (path === "/cgi-bin/gettoken") {
        const found = apps.find(({ corpId }) => corpId === query.get("corpid"));
        if (found === undefined) return refuse(40013, "invalid corpid");
        if (found.corpSecret !== query.get("corpsecret")) return refuse(40001, "invalid credential");
        count += 1;
        tokens.set(`access-${count}`, found.corpId);
        return { json: { errcode: 0, access_token: `access-${count}`, expires_in: 7200 } };
      }
      const sender = tokens.get(query.get("access_token") ?? "");
      if (sender === undefined) return refuse(42001, "access_token expired");
      const content = String((json["text"] as { content?: string } | undefined)?.content ?? "");
      const chat = String(json["touser"]);
      if (!people.has(chat)) refuse(81013, "user not found");
      if (content === "" || Buffer.byteLength(content) > 2048) refuse(45002, "content size out of limit");
      shown.push({ chat, text: content });
      senders.push(sender);
      return { json: { errcode: 0, msgid: `m${shown.length}` } };
    },
  });
  const call = (text: string, { token, encodingKey, corpId }: WecomCredentials) => {
    const cipher = sealed(encodingKey, text, corpId);
    const [timestamp, nonce] = ["1700000000", "n1"];
    const signature = createHash("sha1").update([token, timestamp, nonce, cipher].sort().join("")).digest("hex");
    const query = new URLSearchParams({ msg_signature: signature, timestamp, nonce });
    return { url: `${local}?${query}`, body: `<xml><Encrypt><![CDATA[${cipher}]]></Encrypt></xml>` };
  };
  return {
    ...service,
    apps,
    call,
    message(content, to = apps[0], user = "alice", at = new Date()) {
      count += 1;
      people.add(user);
      const xml = `<xml><ToUserName><![CDATA[${to.corpId}]]></ToUserName><FromUserName><![CDATA[${user}]]></FromUserName><CreateTime>${Math.floor(at.getTime() / 1000)}</CreateTime><MsgType><![CDATA[text]]></MsgType><Content><![CDATA[${content}]]></Content><MsgId>${count}</MsgId></xml>`;
      calls.push({ ...call(xml, to), headers: { "content-type": "text/xml" } });
    },
    repeat: () => calls.repeat(),
    shown: () => shown.map(({ text }) => text),
    shownIn: () => [...shown],
    senders: () => [...senders],
    expireTokens: () => tokens.clear(),
    async [Symbol.asyncDispose]() {
      await calls[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

function sealed(encodingKey: string, text: string, receiver: string): string {
  const key = Buffer.from(`${encodingKey}=`, "base64");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  const plain = Buffer.concat([randomBytes(16), length, Buffer.from(text), Buffer.from(receiver)]);
  const padding = 32 - (plain.length % 32);
  const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
  return Buffer.concat([cipher.update(plain), cipher.update(Buffer.alloc(padding, padding)), cipher.final()]).toString(
    "base64",
  );
}
