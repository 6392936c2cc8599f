import { isRecord, parseJson } from "#foundation/text/json";
import type { ConnectionError, ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { FirstCalls } from "../support/first-calls.ts";
import { missingSetting, type Service } from "../support/service-error.ts";
import { listenForCalls, type WebhookAnswer, type WebhookCall } from "../support/webhook.ts";
import { isFromSlack } from "./signature.ts";
import type { Envelope, Way } from "./socket.ts";

const service: Service = { id: "slack", label: "Slack" };

interface Listening {
  readonly ports: ConnectionPorts;
  readonly account: string;
  take(envelope: Envelope): Promise<void>;
}

/** Listens for Slack's calls: events, presses of buttons and commands, all at one address. */
export async function listenForSlack({ ports, account, take }: Listening): Promise<Way> {
  const { slack } = ports.config;
  const secret = slack.signing_secret.reveal();
  if (secret === "") throw missingSetting(service, "SLACK_SIGNING_SECRET");
  const calls = await FirstCalls.open(ports, account);
  const listening = await listenForCalls({
    service,
    ports,
    host: slack.webhook_host,
    port: slack.webhook_port,
    path: slack.webhook_path,
    async answer(call) {
      if (call.method !== "POST") return { status: 405 };
      if (!isFromSlack(call, secret, ports.clock.now())) return { status: 401 };
      const read = readCall(call);
      if (!("payload" in read)) return read;
      // Nobody presses a button or types a command again by himself: these are never held.
      if (read.type === "events_api") await calls.take(writtenAtMs(read), () => take(read));
      else await take(read);
      return { status: 200 };
    },
  });
  return {
    lost: new Promise<ConnectionError>(() => undefined),
    async close() {
      await listening[Symbol.asyncDispose]();
      await calls[Symbol.asyncDispose]();
    },
  };
}

/** The call as an envelope of a socket, or what it is answered with at once. */
function readCall({ headers, body }: WebhookCall): Envelope | WebhookAnswer {
  const text = body.toString("utf8");
  if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true) {
    const form = new URLSearchParams(text);
    const payload = form.get("payload");
    if (payload !== null) return envelope("interactive", jsonOf(payload));
    return form.has("command") ? envelope("slash_commands", Object.fromEntries(form)) : { status: 200 };
  }
  const fields = jsonOf(text);
  if (fields?.["type"] === "url_verification") return { status: 200, body: textAt(fields, "challenge") };
  if (fields !== undefined && fields["type"] !== "event_callback") return { status: 200 };
  return envelope("events_api", fields);
}

function envelope(type: string, payload: Fields | undefined): Envelope | WebhookAnswer {
  return payload === undefined ? { status: 400 } : { type, payload };
}

function writtenAtMs({ payload }: Envelope): number {
  return Math.round(Number(textAt(fieldsAt(payload, "event"), "ts")) * 1000) || 0;
}

function jsonOf(text: string): Fields | undefined {
  const parsed = parseJson(text);
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}
