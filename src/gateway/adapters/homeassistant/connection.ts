import type { Outbound, SendResult } from "../../platform/outbound.ts";
import { type Connection, ConnectionError, type ConnectionPorts, type SendContext } from "../../platform/platform.ts";
import { fieldsAt, listAt, textAt } from "../support/fields.ts";
import { openLine } from "../support/line.ts";
import { type Rest, restOver } from "../support/rest.ts";
import { failureOf } from "../support/service-error.ts";
import { listenTo } from "../support/socket.ts";
import { account, News, service } from "./news.ts";
import { Watch } from "./watch.ts";

const waitsMs = [5_000, 10_000, 30_000, 60_000];
const [subscription, question] = [1, 2];

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
  const news = new News(ports, watch);
  const url = `${root.replace(/^http/u, "ws")}/api/websocket`;
  const line = openLine({
    service,
    ports,
    waitsMs,
    stay: (ready, within) => stay({ url, token, ports, news, ready }, within),
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
  readonly news: News;
  ready(): void;
}

async function stay({ url, token, ports, news, ready }: Stay, signal: AbortSignal): Promise<string> {
  let refusal: string | undefined;
  let isCaughtUp = false;
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
        if (frame["type"] === "auth_ok") {
          line.write({ id: subscription, type: "subscribe_events", event_type: "state_changed" });
          line.write({ id: question, type: "get_states" });
        }
        if (frame["type"] === "result" && frame["id"] === question) {
          if (frame["success"] === true) await news.catchUp(listAt(frame, "result"), signal);
          isCaughtUp = true;
          ready();
        }
        if (frame["type"] === "event") await news.take(fieldsAt(frame, "event"), { isKept: isCaughtUp, signal });
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
