import { createHmac } from "node:crypto";
import {
  type FakeCall,
  type FakeService,
  type Fields,
  Refused,
  type ShownIn,
  startFakeService,
} from "./fake-service.ts";
import { Redelivery } from "./redelivery.ts";

export interface TwilioServer extends Pick<FakeService, "nextSend" | "sends" | "url" | "file"> {
  readonly sid: string;
  readonly token: string;
  readonly number: string;
  /** Somebody writes; delivered to `local`, signed for `address`. */
  message(fields: Readonly<Record<string, string>>, at?: Date): void;
  repeat(): void;
  /** Resolves when it calls no more. */
  quiet(): Promise<void>;
  shown(): readonly string[];
  shownIn(): readonly ShownIn[];
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Twilio's REST on loopback, and its signed calls; refuses wrong credentials, foreign senders and long texts. It calls
 * once, and once more where that failed; every message can be asked for.
 */
export async function startTwilioServer(to: {
  readonly local: string;
  readonly address: string;
  /** The longest page of its list. */
  readonly pageSize?: number;
}): Promise<TwilioServer> {
  const [sid, token, number] = ["AC00000000000000000000000000000001", "twilio-fake-token-01", "+15550000001"];
  const shown: ShownIn[] = [];
  const received: Fields[] = [];
  const calls = new Redelivery({ mostAttempts: 2 });
  let count = 0;
  const basic = `Basic ${Buffer.from(`${sid}:${token}`).toString("base64")}`;
  const service = await startFakeService({
    isSend: ({ method, path }) => method === "POST" && path.endsWith("/Messages.json"),
    limited: { status: 429, json: { code: 20429, message: "Too Many Requests" }, headers: { "retry-after": "2" } },
    refused: { status: 400, json: { code: 21602, message: "Message body is required." } },
    answer(call) {
      const { method, path, headers, body } = call;
      if (headers.authorization !== basic) throw new Refused(401, { code: 20003, message: "Authenticate" });
      const [, file] = /\/Media\/(\w+)$/u.exec(path) ?? [];
      if (file !== undefined) return { bytes: service.fileOf(file) ?? "" };
      if (path === `/2010-04-01/Accounts/${sid}.json`) return { json: { sid, status: "active" } };
      const [, asked] = /\/Messages\/(\w+)\/Media\.json$/u.exec(path) ?? [];
      if (asked !== undefined) return { json: { media_list: mediaOf(received, asked) } };
      if (!path.endsWith("/Messages.json")) throw new Refused(404, { code: 20404, message: "not found" });
      if (method === "GET") return { json: listed(received, call, to.pageSize ?? 1_000) };
      const form = new URLSearchParams(body.toString("utf8"));
      const text = form.get("Body") ?? "";
      if (form.get("From") !== number) throw new Refused(400, { code: 21606, message: "not your number" });
      if (!/^\+\d+$/u.test(form.get("To") ?? "")) throw new Refused(400, { code: 21211, message: "Invalid 'To'" });
      if (text === "" || text.length > 1600) throw new Refused(400, { code: 21617, message: "body length" });
      count += 1;
      shown.push({ chat: form.get("To") ?? "", text });
      return { status: 201, json: { sid: `SM${count}`, status: "queued" } };
    },
  });
  return {
    ...service,
    sid,
    token,
    number,
    message(fields, at = new Date()) {
      count += 1;
      const all = { From: "+15551112222", To: number, MessageSid: `SMin${count}`, NumMedia: "0", ...fields };
      received.push({ ...all, date_created: at.toUTCString().replace("GMT", "+0000") });
      const names = Object.keys(all).sort() as (keyof typeof all)[];
      const signed = to.address + names.map((name) => name + all[name]).join("");
      const signature = createHmac("sha1", token).update(signed).digest("base64");
      const headers = { "x-twilio-signature": signature, "content-type": "application/x-www-form-urlencoded" };
      calls.push({ url: to.local, headers, body: new URLSearchParams(all).toString() });
    },
    repeat: () => calls.repeat(),
    quiet: () => calls.settled(),
    shown: () => shown.map(({ text }) => text),
    shownIn: () => [...shown],
    async [Symbol.asyncDispose]() {
      await calls[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** The newest first, in pages. */
function listed(received: readonly Fields[], { path, query }: FakeCall, longest: number): Fields {
  const pageSize = Math.min(Number(query.get("PageSize") ?? 50), longest);
  if (query.get("DateSent>") === null || query.get("To") === null) throw new Refused(400, { code: 20001 });
  const page = Number(query.get("Page") ?? 0);
  const found = received.filter(({ To }) => To === query.get("To")).toReversed();
  const next = new URLSearchParams({ ...Object.fromEntries(query), Page: String(page + 1) });
  return {
    messages: found.slice(page * pageSize, (page + 1) * pageSize).map((one) => ({
      sid: one["MessageSid"],
      from: one["From"],
      to: one["To"],
      body: one["Body"],
      num_media: one["NumMedia"],
      direction: "inbound",
      date_created: one["date_created"],
    })),
    next_page_uri: found.length > (page + 1) * pageSize ? `${path}?${next}` : null,
  };
}

function mediaOf(received: readonly Fields[], sid: string): readonly Fields[] {
  const message = received.find(({ MessageSid }) => MessageSid === sid) ?? {};
  return Array.from({ length: Number(message["NumMedia"] ?? 0) }, (_, index) => ({
    content_type: message[`MediaContentType${index}`],
    uri: `${new URL(String(message[`MediaUrl${index}`])).pathname}.json`,
  }));
}
