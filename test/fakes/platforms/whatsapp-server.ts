import { createHmac } from "node:crypto";
import { type FakeService, type Fields, formOf, Refused, startFakeService } from "./fake-service.ts";
import { Redelivery } from "./redelivery.ts";

export interface WhatsAppServer extends Pick<FakeService, "calls" | "nextSend" | "sends" | "url" | "file"> {
  readonly token: string;
  readonly secret: string;
  readonly numberId: string;
  /** Somebody writes: delivered signed, until it is answered with 200. */
  message(fields: Fields): void;
  repeat(): void;
  /** What was sent, as Meta got it. */
  sent(): readonly Fields[];
  /** Nobody wrote for a day. */
  closeWindow(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const nowInSeconds = (): string => String(Math.floor(Date.now() / 1000));

export function metaSignature(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** Meta's Graph API for one number; refuses wrong tokens, long texts, too many buttons, and words outside the window. */
export async function startWhatsAppServer(local: string): Promise<WhatsAppServer> {
  const [token, secret, numberId] = ["EAAfake-token-0001", "app-secret-fake-0001", "1055500001"];
  const sent: Fields[] = [];
  const calls = new Redelivery();
  let count = 0;
  let isClosed = false;
  const refuse = (code: number, message: string, status = 400): never => {
    throw new Refused(status, { error: { code, message } });
  };
  const check = (message: Fields): void => {
    const type = String(message["type"]);
    const content = (message[type] ?? {}) as Fields;
    if (!/^\d{6,15}$/u.test(String(message["to"]))) refuse(131026, "Message undeliverable");
    if (isClosed && type !== "template") refuse(131047, "Re-engagement message");
    if (type === "text" && (content["body"] === "" || String(content["body"]).length > 4096))
      refuse(100, "Param text.body");
    const { buttons = [] } = (content["action"] ?? {}) as { buttons?: { reply: { title: string } }[] };
    if (buttons.length > 3 || buttons.some(({ reply }) => reply.title.length > 20)) refuse(131009, "Parameter value");
    const isFile = ["image", "audio", "video", "document"].includes(type);
    if (isFile && service.fileOf(String(content["id"])) === undefined) refuse(131053, "Media upload error");
  };
  const service = await startFakeService({
    isSend: ({ path, json }) => path.endsWith("/messages") && json["type"] !== undefined,
    limited: { status: 400, json: { error: { code: 130429, message: "Rate limit hit" } } },
    refused: { status: 400, json: { error: { code: 131009, message: "Parameter value is not valid" } } },
    async answer(call) {
      const { path, json, headers } = call;
      if (headers.authorization !== `Bearer ${token}`) refuse(190, "Invalid OAuth access token", 401);
      if (path === `/v23.0/${numberId}`) return { json: { verified_name: "Hermes", display_phone_number: "+1 555 1" } };
      if (path === `/v23.0/${numberId}/media`) {
        const file = (await formOf(call)).get("file");
        if (!(file instanceof Blob)) return refuse(131053, "Media upload error");
        return { json: { id: service.file(Buffer.from(await file.arrayBuffer())) } };
      }
      const [, bytes] = /^\/download\/(\w+)$/u.exec(path) ?? [];
      if (bytes !== undefined) return { bytes: service.fileOf(bytes) ?? "" };
      const [, media] = /^\/v23\.0\/(file\d+)$/u.exec(path) ?? [];
      if (media !== undefined) return { json: { url: `${service.url}/download/${media}` } };
      if (path !== `/v23.0/${numberId}/messages`) return refuse(100, "Unsupported request", 404);
      if (json["status"] === "read") return { json: { success: true } };
      check(json);
      if (json["type"] !== "reaction") sent.push(json);
      count += 1;
      return { json: { messages: [{ id: `wamid.out${count}` }] } };
    },
  });
  return {
    ...service,
    token,
    secret,
    numberId,
    message(fields) {
      count += 1;
      const message = { from: "15551112222", id: `wamid.in${count}`, timestamp: nowInSeconds(), ...fields };
      const contacts = [{ wa_id: String(message.from), profile: { name: "Alice" } }];
      const value = { metadata: { phone_number_id: numberId }, contacts, messages: [message] };
      const body = JSON.stringify({ object: "whatsapp_business_account", entry: [{ changes: [{ value }] }] });
      calls.push({ url: local, headers: { "x-hub-signature-256": metaSignature(secret, body) }, body });
    },
    repeat: () => calls.repeat(),
    sent: () => [...sent],
    closeWindow() {
      isClosed = true;
    },
    async [Symbol.asyncDispose]() {
      await calls[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
