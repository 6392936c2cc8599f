import type { Destination, Outbound, SendErrorClass, SendResult } from "../../platform/outbound.ts";
import { type Connection, ConnectionError, type ConnectionPorts, type SendContext } from "../../platform/platform.ts";
import { Deliveries } from "../support/deliveries.ts";
import { textAt } from "../support/fields.ts";
import { openFile } from "../support/media.ts";
import { type Rest, restOver } from "../support/rest.ts";
import { connectionErrorOf, failureOf, missingSetting, type Service } from "../support/service-error.ts";
import { listenForCalls, type WebhookAnswer, type WebhookCall } from "../support/webhook.ts";
import { messagesSince } from "./history.ts";
import { readForm, smsMessage } from "./inbound.ts";
import { isTwilio } from "./signature.ts";

const service: Service = { id: "sms", label: "Twilio" };
const webhookPath = "/webhooks/twilio";
const thanks: WebhookAnswer = { status: 200, body: "<Response></Response>", type: "text/xml" };
const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

/** Twilio's own numbers for what went wrong. */
const classes: Readonly<Record<string, SendErrorClass>> = {
  "20003": "auth",
  "20429": "rate-limited",
  "21211": "not-found",
  "21408": "permission",
  "21610": "permission",
  "21614": "not-found",
  "21617": "too-large",
};

/** Sends over Twilio's REST and listens for its calls. */
export async function connectSms(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { sms, platforms } = ports.config;
  const token = platforms["sms"]?.token.reveal() ?? "";
  const { account_sid: account, phone_number: own } = sms;
  if (account === "") throw missingSetting(service, "TWILIO_ACCOUNT_SID");
  if (own === "") throw missingSetting(service, "TWILIO_PHONE_NUMBER");
  const checks = ports.isSendOnly === true ? () => false : checkOf(ports, token);
  const root = sms.base_url === "" ? "https://api.twilio.com" : sms.base_url;
  const headers = { authorization: `Basic ${Buffer.from(`${account}:${token}`).toString("base64")}` };
  const rest = restOver({
    label: service.label,
    root: `${root}/2010-04-01/Accounts/${encodeURIComponent(account)}`,
    fetch: ports.fetch,
    headers: () => headers,
    refusal: (body, status) => {
      const code = textAt(body, "code");
      return status < 400
        ? undefined
        : { code, errorClass: classes[code], message: `${code} ${textAt(body, "message")}` };
    },
  });
  await rest(".json", { signal }).catch((error: unknown) => {
    throw connectionErrorOf(service, error);
  });
  const deliveries = new Deliveries({
    ports,
    platform: service.id,
    account: own,
    // Twilio's times are whole seconds.
    newest: () => Promise.resolve(Math.floor(ports.clock.now() / 1000) * 1000),
    since: (fromMs, within) => messagesSince(fromMs, { rest, root, own, logger: ports.logger, signal: within }),
  });
  const listening = await listenForCalls({
    service,
    ports,
    host: sms.webhook_host,
    port: sms.webhook_port,
    path: webhookPath,
    async answer(call) {
      const fields = new URLSearchParams(call.body.toString("utf8"));
      if (call.method !== "POST") return { status: 405 };
      if (!checks(call, fields)) return { status: 403 };
      const message = smsMessage(readForm(fields, ports.clock.now()), own);
      return message === undefined || (await deliveries.take(message)) ? thanks : { status: 503 };
    },
  });
  const close = async (): Promise<void> => {
    await listening[Symbol.asyncDispose]();
    await deliveries[Symbol.asyncDispose]();
  };
  const startListening = () => (ports.isSendOnly === true ? Promise.resolve() : deliveries.start(signal));
  await startListening().catch(async (error: unknown) => {
    await close();
    throw connectionErrorOf(service, error);
  });
  return {
    account: { id: own, name: own },
    lost: new Promise<ConnectionError>(() => undefined),
    send: (to, message, context) => sendSms(to, message, { ...context, rest, own }),
    fetchAttachment: ({ ref }, within) => {
      const url = ref["url"] ?? "";
      const isTwilios = new URL(url).origin === new URL(root).origin;
      return openFile(ports.fetch, { label: service.label, url, headers: isTwilios ? headers : undefined }, within);
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Without its public address no call can be checked; unchecked calls are taken from this machine only. */
function checkOf(
  { config: { sms } }: ConnectionPorts,
  token: string,
): (call: WebhookCall, fields: URLSearchParams) => boolean {
  const { webhook_url: url, webhook_host: host, insecure_no_signature: isInsecure } = sms;
  if (url !== "") return (call, fields) => isTwilio(call.headers["x-twilio-signature"], token, { url, fields });
  if (isInsecure && loopback.has(host)) return () => true;
  const message = isInsecure
    ? "Calls without a signature are only taken on loopback: set SMS_WEBHOOK_HOST=127.0.0.1."
    : "SMS_WEBHOOK_URL is not set; without it Twilio's calls cannot be checked.";
  throw new ConnectionError("sms_settings", message, { isRetryable: false });
}

async function sendSms(
  { chatId }: Destination,
  message: Outbound,
  { rest, own, signal }: SendContext & { readonly rest: Rest; readonly own: string },
): Promise<SendResult> {
  if (message.kind !== "text") return { kind: "failed", errorClass: "unknown", message: "SMS carry words only" };
  try {
    const body = new URLSearchParams({ From: own, To: chatId, Body: message.body.plain });
    return { kind: "sent", messageId: textAt(await rest("/Messages.json", { body, signal }), "sid") };
  } catch (error) {
    return failureOf(error);
  }
}
