import type { InboundMessage } from "../../platform/inbound.ts";
import type { Outbound, SendResult } from "../../platform/outbound.ts";
import { type Connection, ConnectionError, type ConnectionPorts, type SendContext } from "../../platform/platform.ts";
import { admitPatiently } from "../support/admit-patiently.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { openLine } from "../support/line.ts";
import { type Rest, restOver } from "../support/rest.ts";
import { failureOf, type Service } from "../support/service-error.ts";
import { listenTo } from "../support/socket.ts";
import { Watch } from "./watch.ts";

const service: Service = { id: "homeassistant", label: "Home Assistant" };
const waitsMs = [5_000, 10_000, 30_000, 60_000];
const account = "homeassistant";
const chatId = "ha_events";

/** Hears of the devices that are watched, and answers with notifications. */
export async function connectHomeAssistant(ports: ConnectionPorts, _signal: AbortSignal): Promise<Connection> {
  const { homeassistant, platforms } = ports.config;
  const root = (homeassistant.base_url || homeassistant.url).replace(/\/+$/u, "");
  const token = platforms["homeassistant"]?.token.reveal() ?? "";
  const headers = { authorization: `Bearer ${token}` };
  const rest = restOver({ label: service.label, root: `${root}/api`, fetch: ports.fetch, headers: () => headers });
  const watch = new Watch({
    domains: new Set(homeassistant.watch_domains),
    entities: new Set(homeassistant.watch_entities),
    ignored: new Set(homeassistant.ignore_entities),
    all: homeassistant.watch_all,
    cooldownMs: homeassistant.cooldown_seconds * 1000,
  });
  const take = async (event: Fields, within: AbortSignal): Promise<void> => {
    const change = watch.read(event, ports.clock.now());
    if (change === undefined) return;
    const id = textAt(fieldsAt(event, "context"), "id") || textAt(event, "time_fired");
    const message: InboundMessage = {
      source: { platform: service.id, account, chatId, chatType: "channel", userId: account, userName: service.label },
      text: change.text,
      messageId: id,
      dedupKey: `homeassistant:${change.entity}:${id}`,
      atMs: Date.parse(textAt(event, "time_fired")) || ports.clock.now(),
      attachments: [],
    };
    // Nobody tells of a change twice.
    await admitPatiently(ports, message, { signal: within });
  };
  const url = `${root.replace(/^http/u, "ws")}/api/websocket`;
  const line = openLine({
    service,
    ports,
    waitsMs,
    stay: (ready, within) => stay({ url, token, ports, take, ready }, within),
  });
  await line.ready;
  return {
    account: { id: account, name: service.label },
    lost: line.lost,
    send: (_to, message, context) => notify(message, { ...context, rest }),
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

interface Stay {
  readonly url: string;
  readonly token: string;
  readonly ports: ConnectionPorts;
  take(event: Fields, signal: AbortSignal): Promise<void>;
  ready(): void;
}

async function stay({ url, token, ports, take, ready }: Stay, signal: AbortSignal): Promise<string> {
  let refusal: string | undefined;
  const { reason } = await listenTo(
    {
      ports,
      url,
      alive: ports.alive,
      async take(frame, line) {
        if (frame["type"] === "auth_required") line.write({ type: "auth", access_token: token });
        if (frame["type"] === "auth_invalid") {
          refusal = textAt(frame, "message") || "the token is not valid";
          line.end(refusal);
        }
        if (frame["type"] === "auth_ok") line.write({ id: 1, type: "subscribe_events", event_type: "state_changed" });
        if (frame["type"] === "result" && frame["success"] === true) ready();
        if (frame["type"] === "event") await take(fieldsAt(frame, "event"), signal);
      },
    },
    signal,
  );
  if (refusal === undefined) return reason;
  throw new ConnectionError("homeassistant_auth", `Home Assistant refused the token: ${refusal}`, {
    isRetryable: false,
  });
}

/** Our key names the notification: sent again, it is the same one. */
async function notify(
  message: Outbound,
  { rest, key, signal }: SendContext & { readonly rest: Rest },
): Promise<SendResult> {
  if (message.kind !== "text")
    return { kind: "failed", errorClass: "unknown", message: "Home Assistant shows words only" };
  const body = { title: "Hermes Agent", message: message.body.plain, notification_id: `hermes_${key}` };
  try {
    await rest("/services/persistent_notification/create", { body, signal });
    return { kind: "sent", messageId: body.notification_id };
  } catch (error) {
    return failureOf(error);
  }
}
