import { createHmac } from "node:crypto";
import { isRecord, parseJson } from "#foundation/text/json";
import type { SendErrorClass } from "../../platform/outbound.ts";
import type { Connection, ConnectionError, ConnectionPorts } from "../../platform/platform.ts";
import { fieldsAt, textAt } from "../support/fields.ts";
import { FirstCalls } from "../support/first-calls.ts";
import { Latest } from "../support/latest.ts";
import { openFile } from "../support/media.ts";
import { restOver } from "../support/rest.ts";
import { connectionErrorOf, missingSetting, type Service } from "../support/service-error.ts";
import { isSame, listenForCalls, type WebhookAnswer, type WebhookCall } from "../support/webhook.ts";
import { readCall } from "./inbound.ts";
import { sendToWhatsApp } from "./send.ts";

const service: Service = { id: "whatsapp", label: "WhatsApp" };
const usualVersion = "v23.0";
const rememberedChats = 1_000;

/** Meta's own numbers for what went wrong. */
const classes: Readonly<Record<string, SendErrorClass>> = {
  "0": "auth",
  "190": "auth",
  "10": "permission",
  "4": "rate-limited",
  "80007": "rate-limited",
  "130429": "rate-limited",
  "131048": "rate-limited",
  "131056": "rate-limited",
  "131026": "not-found",
  "131047": "permission",
  "131053": "format",
};

/** Speaks as a number of the Business Cloud API and listens for Meta's calls. */
export async function connectWhatsApp(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { whatsapp, platforms } = ports.config;
  const { phone_number_id: numberId } = whatsapp;
  if (numberId === "") throw missingSetting(service, "WHATSAPP_CLOUD_PHONE_NUMBER_ID");
  if (whatsapp.app_secret.reveal() === "") throw missingSetting(service, "WHATSAPP_CLOUD_APP_SECRET");
  const headers = { authorization: `Bearer ${platforms["whatsapp"]?.token.reveal() ?? ""}` };
  const root = `${whatsapp.base_url || "https://graph.facebook.com"}/${whatsapp.api_version || usualVersion}`;
  const options = {
    label: service.label,
    fetch: ports.fetch,
    headers: () => headers,
    refusal: (body: Readonly<Record<string, unknown>>, status: number) => {
      const error = fieldsAt(body, "error");
      const code = textAt(error, "code");
      return status < 400
        ? undefined
        : { code, errorClass: classes[code], message: `${code} ${textAt(error, "message")}` };
    },
  };
  const [graph, rest] = [restOver({ ...options, root }), restOver({ ...options, root: `${root}/${numberId}` })];
  const me = await rest("?fields=display_phone_number,verified_name", { signal }).catch((error: unknown) => {
    throw connectionErrorOf(service, error);
  });
  // Meta shows typing as an answer to a message, so the last one of each chat is known.
  const lastOf = new Latest<string>(rememberedChats);
  const calls = await FirstCalls.open(ports, numberId);
  const listening = await listenForCalls({
    service,
    ports,
    host: "0.0.0.0",
    port: whatsapp.webhook_port,
    path: "/whatsapp/webhook",
    answer: (call) =>
      call.method === "GET" ? Promise.resolve(verified(call, ports)) : take(call, { ports, lastOf, calls }),
  });
  const close = async (): Promise<void> => {
    await listening[Symbol.asyncDispose]();
    await calls[Symbol.asyncDispose]();
  };
  const sending = { rest, template: whatsapp.template };
  return {
    account: { id: numberId, name: textAt(me, "verified_name") || textAt(me, "display_phone_number") },
    lost: new Promise<ConnectionError>(() => undefined),
    send: (to, message, context) => sendToWhatsApp(to, message, { ...sending, ...context }),
    async typing({ chatId }, within) {
      const messageId = lastOf.get(chatId);
      if (messageId === undefined) return;
      const read = { messaging_product: "whatsapp", status: "read", message_id: messageId };
      await rest("/messages", { body: { ...read, typing_indicator: { type: "text" } }, signal: within });
    },
    async react({ chatId: to }, { messageId, emoji, isAdded }, within) {
      const reaction = { message_id: messageId, emoji: isAdded ? emoji : "" };
      await rest("/messages", {
        body: { messaging_product: "whatsapp", to, type: "reaction", reaction },
        signal: within,
      });
    },
    async fetchAttachment({ ref }, within) {
      // The address is good for five minutes, so it is asked for when it is needed.
      const { url } = await graph(`/${encodeURIComponent(ref["mediaId"] ?? "")}`, { signal: within });
      return await openFile(ports.fetch, { label: service.label, url: String(url), headers }, within);
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Meta asks once, when the address is registered. */
function verified({ url: { searchParams } }: WebhookCall, { config: { whatsapp } }: ConnectionPorts): WebhookAnswer {
  const expected = whatsapp.verify_token.reveal();
  const isRight = expected !== "" && isSame(searchParams.get("hub.verify_token") ?? undefined, expected);
  if (searchParams.get("hub.mode") !== "subscribe" || !isRight) return { status: 403 };
  return { status: 200, body: searchParams.get("hub.challenge") ?? "" };
}

interface Taking {
  readonly ports: ConnectionPorts;
  readonly lastOf: Latest<string>;
  readonly calls: FirstCalls;
}

async function take({ method, headers, body }: WebhookCall, { ports, lastOf, calls }: Taking): Promise<WebhookAnswer> {
  const { whatsapp } = ports.config;
  const expected = `sha256=${createHmac("sha256", whatsapp.app_secret.reveal()).update(body).digest("hex")}`;
  if (method !== "POST") return { status: 405 };
  if (!isSame(headers["x-hub-signature-256"], expected)) return { status: 401 };
  const parsed = parseJson(body.toString("utf8"));
  if (!parsed.ok || !isRecord(parsed.value)) return { status: 400 };
  for (const event of readCall(parsed.value, whatsapp.phone_number_id)) {
    if (event.kind === "press") await ports.press(event.press);
    else {
      const { message } = event;
      lastOf.set(message.source.chatId, message.messageId ?? "");
      await calls.take(message.atMs, () => ports.admit(message));
    }
  }
  return { status: 200 };
}
