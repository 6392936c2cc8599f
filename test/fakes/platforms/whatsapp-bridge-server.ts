import { readFile } from "node:fs/promises";
import {
  type FakeCall,
  type FakeService,
  type Fields,
  Refused,
  type ShownIn,
  startFakeService,
} from "./fake-service.ts";

export interface WhatsAppBridgeServer extends Pick<FakeService, "nextSend" | "sends" | "url" | "file" | "calls"> {
  readonly token: string;
  readonly account: { readonly id: string; readonly lid: string; readonly name: string };
  /** Somebody writes; the fields stand over those of a message from Alice. */
  message(fields: Fields): void;
  repeat(): void;
  shown(): readonly string[];
  shownIn(): readonly ShownIn[];
  /** The device is unlinked, or waits for a phone. */
  enter(state: "logged_out" | "pairing" | "connected"): void;
  dropPolls(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const pairing = { qr: "▄▀▄ code to scan ▄▀▄\u001b[2J", code: "ABCD-1234" };

/** A bridge of the documented wire on loopback: wrong tokens, empty and too long texts and missing files are refused. */
export async function startWhatsAppBridgeServer(): Promise<WhatsAppBridgeServer> {
  const token = "bridge-word-0001";
  const account = { id: "4915100000001:7@s.whatsapp.net", lid: "99900011:7@lid", name: "Owner" };
  const kept: Fields[] = [];
  const polls = new Set<(isDropped: boolean) => void>();
  const shown = new Map<string, ShownIn>();
  const idOfKey = new Map<string, string>();
  let state = "connected";
  let count = 0;
  const wake = (isDropped = false): void => {
    for (const poll of polls) poll(isDropped);
  };

  async function messages({ query }: FakeCall) {
    const after = Number(query.get("after") ?? "") || 0;
    const waiting = () => kept.filter((one) => Number(one["cursor"]) > after);
    if (waiting().length === 0 && state === "connected") {
      const isDropped = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => done(false), Number(query.get("wait") ?? "0") * 1000);
        const done = (isCut: boolean): void => {
          clearTimeout(timer);
          polls.delete(done);
          resolve(isCut);
        };
        polls.add(done);
      });
      if (isDropped) throw new Refused(503, { error: "the bridge starts again" });
    }
    return { json: { state, messages: waiting() } };
  }

  async function take({ path, json }: FakeCall) {
    const text = String(json["text"] ?? json["caption"] ?? "");
    if (!/@(?:s\.whatsapp\.net|g\.us|lid)$/u.test(String(json["chatId"])))
      throw new Refused(404, { error: "no such chat" });
    if (text.length > 4096) throw new Refused(413, { error: "too long" });
    if (path === "/edit") {
      if (!shown.has(String(json["id"]))) throw new Refused(404, { error: "no such message" });
      shown.set(String(json["id"]), { chat: String(json["chatId"]), text });
      return { json: {} };
    }
    if (path === "/send" && text === "") throw new Refused(400, { error: "empty" });
    if (path === "/send-media") await readFile(String(json["path"]));
    const key = String(json["key"] ?? "");
    if (key === "") throw new Refused(400, { error: "no key" });
    const id = idOfKey.get(key) ?? `out${idOfKey.size + 1}`;
    const written = path === "/send-media" ? `[file] ${text}`.trim() : text;
    if (!idOfKey.has(key)) shown.set(id, { chat: String(json["chatId"]), text: written });
    idOfKey.set(key, id);
    return { json: { id } };
  }

  const service = await startFakeService({
    isSend: ({ path }) => ["/send", "/edit", "/send-media"].includes(path),
    limited: { status: 429, json: { error: "slow down" }, headers: { "retry-after": "2" } },
    refused: { status: 400, json: { error: "bad text" } },
    async answer(call) {
      const { path, headers } = call;
      if (headers.authorization !== `Bearer ${token}`) throw new Refused(401, { error: "wrong token" });
      if (path === "/health") return { json: state === "pairing" ? { state, pairing } : { state, account } };
      if (path === "/messages") return await messages(call);
      if (path === "/typing") return { json: {} };
      if (path === "/pair") {
        state = "pairing";
        return { json: {} };
      }
      const bytes = service.fileOf(path.replace("/media/", ""));
      if (path.startsWith("/media/") && bytes !== undefined) return { bytes };
      if (!["/send", "/edit", "/send-media"].includes(path)) throw new Refused(404, { error: "no such call" });
      return await take(call);
    },
  });
  const keep = (fields: Fields): void => {
    count += 1;
    kept.push({ ...fields, cursor: String(count) });
    wake();
  };
  return {
    ...service,
    token,
    account,
    message(fields) {
      const alice = "15551112222@s.whatsapp.net";
      const from = { chatId: alice, senderId: alice, senderName: "Alice", fromMe: false };
      keep({ id: `in${count + 1}`, timestamp: 1_700_000_000, ...from, ...fields });
    },
    repeat: () => keep(kept.at(-1) ?? {}),
    shown: () => [...shown.values()].map(({ text }) => text),
    shownIn: () => [...shown.values()],
    enter(next) {
      state = next;
      wake();
    },
    dropPolls: () => wake(true),
    async [Symbol.asyncDispose]() {
      wake(true);
      await service[Symbol.asyncDispose]();
    },
  };
}
