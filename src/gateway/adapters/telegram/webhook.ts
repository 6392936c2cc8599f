import { createServer } from "node:http";
import type { Update, WebhookInfo } from "@grammyjs/types";
import { describe } from "#foundation/errors";
import { readRequestBody } from "#foundation/http/request-body";
import { parseJson } from "#foundation/text/json";
import { ConnectionError, type ConnectionPorts } from "../../platform/platform.ts";
import { isSame } from "../support/webhook.ts";
import type { TelegramApi } from "./api.ts";

const maxBytes = 1_048_576;
const lookEveryMs = 20_000;

export interface WebhookDeps {
  readonly api: TelegramApi;
  readonly ports: ConnectionPorts;
  take(update: Update): Promise<void>;
}

/** Receives updates at the configured address. 200 is said when an update is written down, so Telegram repeats all others. */
export async function listenForUpdates(
  { api, ports, take }: WebhookDeps,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  const { telegram } = ports.config;
  const secret = telegram.webhook_secret.reveal();
  if (secret === "")
    throw new ConnectionError(
      "telegram_webhook_secret",
      "TELEGRAM_WEBHOOK_SECRET is not set; without it anybody could send updates.",
      {
        isRetryable: false,
      },
    );
  const path = new URL(telegram.webhook_url).pathname;
  const server = createServer(async (request, response) => {
    const end = (status: number): void => void response.writeHead(status).end();
    if (request.method !== "POST" || request.url !== path) return end(404);
    if (!isSame(request.headers["x-telegram-bot-api-secret-token"], secret)) return end(401);
    try {
      const text = (await readRequestBody(request, maxBytes))?.toString("utf8");
      const parsed = text === undefined ? undefined : parseJson(text);
      if (parsed?.ok !== true) return end(text === undefined ? 413 : 400);
      ports.alive();
      await take(parsed.value as Update);
      end(200);
    } catch (error) {
      ports.logger.error("an update could not be taken in", { platform: "telegram", error: describe(error) });
      end(503);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(telegram.webhook_port, resolve);
  });
  const webhook = { url: telegram.webhook_url, secret_token: secret, drop_pending_updates: false };
  await api("setWebhook", webhook, signal);
  ports.alive();
  // A quiet bot hears nothing for hours; that Telegram still answers, and still knows where to call, is proof enough.
  const ending = new AbortController();
  const look = async (): Promise<void> => {
    try {
      const { url } = await api<WebhookInfo>("getWebhookInfo", {}, ending.signal);
      if (url === webhook.url) ports.alive();
      else await api("setWebhook", webhook, ending.signal);
    } catch (error) {
      if (!ending.signal.aborted) ports.logger.warn("Telegram does not answer", { error: describe(error) });
    }
  };
  const life = setInterval(() => void look(), lookEveryMs);
  return {
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        ending.abort();
        clearInterval(life);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
