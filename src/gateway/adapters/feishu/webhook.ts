import { timeLimit } from "#foundation/lifecycle/abort";
import { isRecord, parseJson } from "#foundation/text/json";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { missingSetting, type Service } from "../support/service-error.ts";
import { isSame, listenForCalls, type WebhookAnswer, type WebhookCall } from "../support/webhook.ts";
import { feishuSignature, openEncrypted } from "./crypto.ts";
import type { FeishuEvents } from "./events.ts";
import { FloodGuard } from "./flood.ts";

const mostPerMinute = 120;
const anomalyEvery = 10;

/** Listens for the calls of Feishu. Every one proves where it comes from: by its signature, its encryption, its token. */
export async function listenForFeishu(service: Service, ports: ConnectionPorts, events: FeishuEvents) {
  const { feishu } = ports.config;
  if (feishu.encrypt_key.reveal() === "" && feishu.verification_token.reveal() === "")
    throw missingSetting(service, "FEISHU_ENCRYPT_KEY or FEISHU_VERIFICATION_TOKEN");
  const calls = new FloodGuard(mostPerMinute);
  const refusals = new FloodGuard(0);
  return await listenForCalls({
    service,
    ports,
    host: feishu.webhook_host,
    port: feishu.webhook_port,
    path: feishu.webhook_path,
    async answer(call) {
      const caller = `${feishu.app_id}:${call.url.pathname}:${call.remote}`;
      if (calls.isTooMuch(caller, ports.clock.now())) return { status: 429 };
      const answered = await take(call, ports, events);
      if (answered.status < 400) return answered;
      const count = refusals.count(caller, ports.clock.now());
      if (count % anomalyEvery === 0)
        ports.logger.warn("many calls are refused", { platform: service.id, from: call.remote, count });
      return answered;
    },
  });
}

async function take(call: WebhookCall, ports: ConnectionPorts, events: FeishuEvents): Promise<WebhookAnswer> {
  if (call.method !== "POST") return { status: 405 };
  if (call.headers["content-type"]?.startsWith("application/json") !== true) return { status: 415 };
  const { feishu } = ports.config;
  const [key, token] = [feishu.encrypt_key.reveal(), feishu.verification_token.reveal()];
  const outer = jsonOf(call.body.toString("utf8"));
  if (outer === undefined) return { status: 400 };
  const isEncrypted = typeof outer["encrypt"] === "string";
  // Where a key is set, nothing that was not encrypted with it is believed.
  if (isEncrypted !== (key !== "")) return { status: 401 };
  const inner = isEncrypted ? jsonOf(openEncrypted(key, textAt(outer, "encrypt")) ?? "") : outer;
  if (inner === undefined) return { status: 401 };
  const named = textAt(inner, "token") || textAt(fieldsAt(inner, "header"), "token");
  if (token !== "" && !isSame(named, token)) return { status: 401 };
  if (inner["type"] === "url_verification") return answerOf({ challenge: textAt(inner, "challenge") });
  if (key !== "" && !isSigned(call, key)) return { status: 401 };
  return answerOf(await events.take(inner, timeLimit(30_000)));
}

function isSigned({ headers, body }: Pick<WebhookCall, "headers" | "body">, key: string): boolean {
  const [timestamp, nonce] = [headers["x-lark-request-timestamp"], headers["x-lark-request-nonce"]];
  if (typeof timestamp !== "string" || typeof nonce !== "string") return false;
  return isSame(headers["x-lark-signature"], feishuSignature(timestamp, nonce, { key, body }));
}

function jsonOf(text: string): Fields | undefined {
  const parsed = parseJson(text);
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}

function answerOf(fields: Fields): WebhookAnswer {
  return { status: 200, body: JSON.stringify(fields), type: "application/json" };
}
