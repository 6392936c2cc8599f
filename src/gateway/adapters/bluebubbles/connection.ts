import { describe } from "#foundation/errors";
import { deadline, timeLimit } from "#foundation/lifecycle/abort";
import { isRecord, parseJson } from "#foundation/text/json";
import type { Connection, ConnectionError, ConnectionPorts } from "../../platform/platform.ts";
import { Deliveries } from "../support/deliveries.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { openFile } from "../support/media.ts";
import { type Rest, restOver } from "../support/rest.ts";
import { connectionErrorOf, missingSetting, type Service } from "../support/service-error.ts";
import { isSame, listenForCalls, type WebhookCall } from "../support/webhook.ts";
import { messagesSince, newestMessage } from "./history.ts";
import { readCall } from "./inbound.ts";
import { sendToBlueBubbles } from "./send.ts";

const service: Service = { id: "bluebubbles", label: "BlueBubbles" };
const goodbyeMs = 5_000;

/** Speaks through a BlueBubbles server and has it call us. */
export async function connectBlueBubbles(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { bluebubbles, platforms } = ports.config;
  const root = (bluebubbles.base_url || bluebubbles.server_url).replace(/\/+$/u, "");
  if (root === "") throw missingSetting(service, "BLUEBUBBLES_SERVER_URL");
  const password = platforms["bluebubbles"]?.token.reveal() ?? "";
  const withPassword = (path: string): string =>
    `${path}${path.includes("?") ? "&" : "?"}password=${encodeURIComponent(password)}`;
  const call = restOver({
    label: service.label,
    root: `${root}/api/v1`,
    fetch: ports.fetch,
    refusal: (body, status) => {
      const error = textAt(fieldsAt(body, "error"), "message") || textAt(body, "message");
      return status < 400 ? undefined : { message: error || `status ${status}` };
    },
  });
  const rest: Rest = (path, request) => call(withPassword(path), request);
  const info = await rest("/server/info", { signal }).catch((error: unknown) => {
    throw connectionErrorOf(service, error);
  });
  const hasPrivateApi = fieldsAt(info, "data")["private_api"] === true;
  const { webhook_host: host, webhook_port: port, webhook_path: path } = bluebubbles;
  const account = textAt(fieldsAt(info, "data"), "detected_imessage") || new URL(root).host;
  const markRead = (chatId: string): void =>
    void rest(`/chat/${encodeURIComponent(chatId)}/read`, {
      method: "POST",
      signal: timeLimit(goodbyeMs),
    }).catch((error: unknown) =>
      ports.logger.debug("a chat was not marked as read", { platform: service.id, error: describe(error) }),
    );
  const deliveries = new Deliveries({
    ports,
    platform: service.id,
    account,
    newest: (within) => newestMessage(rest, within),
    since: (fromMs, within) => messagesSince(fromMs, { rest, account, signal: within }),
    taken({ source }) {
      if (hasPrivateApi && bluebubbles.send_read_receipts) markRead(source.chatId);
    },
  });
  const listening = await listenForCalls({
    service,
    ports,
    host,
    port,
    path,
    async answer(incoming) {
      if (!isSame(passwordOf(incoming), password)) return { status: 401 };
      const event = bodyOf(incoming);
      if (event === undefined) return { status: 400 };
      const message = readCall(event, account);
      return { status: message === undefined || (await deliveries.take(message)) ? 200 : 503 };
    },
  });
  const url = `http://${host}:${port}${path}?password=${encodeURIComponent(password)}`;
  const close = async (): Promise<void> => {
    await listening[Symbol.asyncDispose]();
    await deliveries[Symbol.asyncDispose]();
  };
  const hook = await registered(rest, url, signal)
    .then(async (id) => {
      await deliveries.start(signal);
      return id;
    })
    .catch(async (error: unknown) => {
      await close();
      throw connectionErrorOf(service, error);
    });
  let isClosed = false;
  return {
    account: { id: account, name: account },
    lost: new Promise<ConnectionError>(() => undefined),
    send: (to, message, context) => sendToBlueBubbles(to, message, { ...context, rest, hasPrivateApi }),
    async typing({ chatId }, within) {
      if (hasPrivateApi) await rest(`/chat/${encodeURIComponent(chatId)}/typing`, { method: "POST", signal: within });
    },
    fetchAttachment: ({ ref }, within) => {
      const file = withPassword(`${root}/api/v1/attachment/${encodeURIComponent(ref["guid"] ?? "")}/download`);
      return openFile(ports.fetch, { label: service.label, url: file }, within);
    },
    async [Symbol.asyncDispose]() {
      if (isClosed) return;
      isClosed = true;
      using limit = deadline(goodbyeMs, "BlueBubbles did not answer");
      await rest(`/webhook/${hook}`, { method: "DELETE", signal: limit.signal }).catch((error: unknown) =>
        ports.logger.warn("the webhook could not be taken back", { platform: service.id, error: describe(error) }),
      );
      await close();
    },
  };
}

/** The same address is registered once, however often we start. */
async function registered(rest: Rest, url: string, signal: AbortSignal): Promise<string> {
  const known = listAt(await rest("/webhook", { signal }), "data").find((one) => one["url"] === url);
  if (known !== undefined) return textAt(known, "id");
  const body = { url, events: ["new-message", "updated-message"] };
  return textAt(fieldsAt(await rest("/webhook", { body, signal }), "data"), "id");
}

function passwordOf({ url, headers }: WebhookCall): string | undefined {
  const sent = headers["x-password"] ?? url.searchParams.get("password") ?? url.searchParams.get("guid") ?? undefined;
  return typeof sent === "string" ? sent : undefined;
}

/** JSON, or a form with JSON in it. */
function bodyOf({ body, headers }: WebhookCall): Fields | undefined {
  const text = body.toString("utf8");
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  const parsed = parseJson(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
  return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
}
