import type { Connection, ConnectionError, ConnectionPorts } from "../../platform/platform.ts";
import { FirstCalls } from "../support/first-calls.ts";
import { connectionErrorOf, failureOf, missingSetting, type Service } from "../support/service-error.ts";
import { isSame, listenForCalls, type WebhookAnswer, type WebhookCall } from "../support/webhook.ts";
import { appsOf, type WecomApp, WecomClient } from "./apps.ts";
import { openEnvelope, wecomSignature } from "./crypto.ts";
import { readMessage, readXml } from "./inbound.ts";

const service: Service = { id: "wecom_callback", label: "WeCom" };

/** Listens for the calls of self-built apps, and sends as the app that a person wrote to. */
export async function connectWecomCallback(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { wecom_callback: settings } = ports.config;
  const apps = appsOf(ports);
  const [first] = apps;
  if (first === undefined) throw missingSetting(service, "WECOM_CALLBACK_CORP_ID and WECOM_CALLBACK_ENCODING_AES_KEY");
  if (apps.some(({ token }) => token === "")) throw missingSetting(service, "WECOM_CALLBACK_TOKEN");
  const clients = new Map(apps.map((app) => [app.corpId, new WecomClient(app, ports)]));
  for (const client of clients.values())
    await client.token(signal).catch((error: unknown) => {
      throw connectionErrorOf(service, error);
    });
  const calls = await FirstCalls.open(ports, first.corpId);
  const listening = await listenForCalls({
    service,
    ports,
    host: settings.host,
    port: settings.port,
    path: "/wecom/callback",
    answer: (call) =>
      call.method === "GET" ? Promise.resolve(verified(call, apps)) : take(call, { apps, ports, calls }),
  });
  return {
    account: { id: first.corpId, name: first.corpId },
    lost: new Promise<ConnectionError>(() => undefined),
    async send({ chatId }, message, context) {
      const [corp = "", user = ""] = chatId.split(":");
      const client = clients.get(corp);
      if (client === undefined || message.kind !== "text")
        return {
          kind: "failed",
          errorClass: client === undefined ? "not-found" : "unknown",
          message: "WeCom takes words for people of its corporations",
        };
      try {
        return {
          kind: "sent",
          messageId: (await client.sendText(user, message.body.plain, context.signal)) || undefined,
        };
      } catch (error) {
        return failureOf(error);
      }
    },
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]();
      await calls[Symbol.asyncDispose]();
    },
  };
}

/** The app whose token signed a call, whose key opens it, and whose corporation it names. */
function opened({ url: { searchParams } }: WebhookCall, cipher: string, apps: readonly WecomApp[]): string | undefined {
  const [timestamp, nonce] = [searchParams.get("timestamp") ?? "", searchParams.get("nonce") ?? ""];
  for (const { token, encodingKey, corpId } of apps) {
    const expected = wecomSignature(token, timestamp, nonce, cipher);
    if (!isSame(searchParams.get("msg_signature") ?? undefined, expected)) continue;
    const envelope = openEnvelope(encodingKey, cipher);
    if (envelope?.receiver === corpId) return envelope.text;
  }
  return undefined;
}

function verified(call: WebhookCall, apps: readonly WecomApp[]): WebhookAnswer {
  const body = opened(call, call.url.searchParams.get("echostr") ?? "", apps);
  return body === undefined ? { status: 403 } : { status: 200, body };
}

interface Taking {
  readonly apps: readonly WecomApp[];
  readonly ports: ConnectionPorts;
  readonly calls: FirstCalls;
}

async function take(call: WebhookCall, { apps, ports, calls }: Taking): Promise<WebhookAnswer> {
  const outer = readXml(call.body.toString("utf8"));
  if (outer === undefined) return { status: 400 };
  const text = opened(call, outer.get("Encrypt") ?? "", apps);
  if (text === undefined) return { status: 403 };
  const fields = readXml(text);
  if (fields === undefined) return { status: 400 };
  const message = readMessage(fields, apps[0]?.corpId ?? "");
  if (message !== undefined) await calls.take(message.atMs, () => ports.admit(message));
  return { status: 200, body: "success" };
}
