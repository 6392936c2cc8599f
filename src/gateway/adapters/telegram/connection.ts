import type { File, Update, User } from "@grammyjs/types";
import { describe } from "#foundation/errors";
import type { Fetch } from "#foundation/http/fetch";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Scope } from "#foundation/lifecycle/disposal";
import { type Connection, ConnectionError, type ConnectionPorts, type MenuCommand } from "../../platform/platform.ts";
import { type TelegramApi, TelegramError, telegramApi } from "./api.ts";
import { fallbackAddresses, withFallback } from "./fallback.ts";
import { readPress, readUpdate, type TelegramRules, type TelegramSelf } from "./inbound.ts";
import { failureOf, sendToTelegram } from "./send.ts";
import { listenForUpdates } from "./webhook.ts";

const pollSeconds = 25;
const listensTo = ["message", "channel_post", "callback_query"] as const;
const conflictRetries = 3;
const conflictWaitMs = 10_000;
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;
const networkRetries = 10;

/** An own server's address as people write it: the `/bot` that the token follows may be there or not. */
function serverAddress(written: string, usual: string): string {
  return written === "" ? usual : written.replace(/\/+$/, "").replace(/\/bot$/, "");
}

interface TelegramBot {
  readonly api: TelegramApi;
  readonly me: User;
  /** Where its files are. */
  readonly files: string;
  /** Finds the server where its name cannot be found. */
  readonly fetch: Fetch;
}

/** The bot of the token. */
export async function telegramBot(
  { config, fetch: send }: Pick<ConnectionPorts, "config" | "fetch">,
  signal: AbortSignal,
): Promise<TelegramBot> {
  const token = config.platforms["telegram"]?.token.reveal() ?? "";
  const root = serverAddress(config.telegram.base_url, "https://api.telegram.org");
  const files = `${serverAddress(config.telegram.base_file_url, `${root}/file`)}/bot${token}`;
  const fetch = withFallback(send, fallbackAddresses(config.telegram));
  const api = telegramApi(fetch, `${root}/bot${token}`);
  const me = await api<User>("getMe", {}, signal).catch((error: unknown) => {
    throw connectionError(error);
  });
  return { api, me, files, fetch };
}

/** Connects as the bot of the token, by polling or by a webhook. */
export async function connectTelegram(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { config, logger } = ports;
  const { telegram } = config;
  const { api, me, files, fetch } = await telegramBot(ports, signal);
  ports.alive();
  const self: TelegramSelf = { id: me.id, username: me.username ?? "" };
  const rules = rulesOf(ports);
  const lost = new Deferred<ConnectionError>();
  const stop = new AbortController();
  const scope = new Scope();
  const take = (update: Update): Promise<void> => takeUpdate(update, { api, ports, self, rules, signal: stop.signal });
  if (ports.isSendOnly === true) logger.debug("sends only", { platform: "telegram" });
  else if (telegram.webhook_url === "") {
    await api("deleteWebhook", { drop_pending_updates: false }, signal);
    const polling = poll({ api, ports, self, take, signal: stop.signal }).then(
      () => undefined,
      (error: unknown) => lost.resolve(connectionError(error)),
    );
    scope.defer(() => polling);
  } else scope.adopt(await listenForUpdates({ api, ports, take }, signal));
  const sending = { api, hidesLinkPreviews: telegram.disable_link_previews };
  const thread = (id: string | undefined) => (id === undefined ? {} : { message_thread_id: Number(id) });
  logger.info("connected", { platform: "telegram", bot: self.username });
  return {
    account: { id: String(me.id), name: self.username },
    lost: lost.promise,
    send: (to, message, context) => sendToTelegram(to, message, { sending, signal: context.signal }),
    remove: (to, messageId, within) =>
      api("deleteMessage", { chat_id: to.chatId, message_id: Number(messageId) }, within),
    typing: (to, within) =>
      api("sendChatAction", { chat_id: to.chatId, action: "typing", ...thread(to.threadId) }, within),
    react: (to, { messageId, emoji, isAdded }, within) => {
      const reaction = isAdded ? [{ type: "emoji", emoji }] : [];
      return api("setMessageReaction", { chat_id: to.chatId, message_id: Number(messageId), reaction }, within);
    },
    async fetchAttachment({ ref }, within) {
      const { file_path: file = "" } = await api<File>("getFile", { file_id: ref["fileId"] }, within);
      const answer = await fetch(`${files}/${file}`, { signal: within });
      if (!answer.ok || answer.body === null) throw new Error(`Telegram gave status ${answer.status} for the file`);
      return answer.body as AsyncIterable<Uint8Array>;
    },
    offerCommands: (commands, within) => api("setMyCommands", { commands: menu(commands) }, within),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await scope[Symbol.asyncDispose]();
    },
  };
}

interface Taking {
  readonly api: TelegramApi;
  readonly ports: ConnectionPorts;
  readonly self: TelegramSelf;
  readonly rules: TelegramRules;
  readonly signal: AbortSignal;
}

async function takeUpdate(update: Update, { api, ports, self, rules, signal }: Taking): Promise<void> {
  const message = readUpdate(update, self, rules);
  if (message !== undefined) await ports.admit(message, { name: "offset", value: String(update.update_id + 1) });
  const press = readPress(update, self);
  if (press === undefined || update.callback_query === undefined) return;
  const text = await ports.press(press);
  // A question that is too old to be answered has still been acted on.
  const answer = { callback_query_id: update.callback_query.id, text: text.slice(0, 200) };
  await api("answerCallbackQuery", answer, signal).catch((error: unknown) => {
    ports.logger.warn("a button press could not be answered", { platform: "telegram", error: describe(error) });
  });
}

interface Polling {
  readonly api: TelegramApi;
  readonly ports: ConnectionPorts;
  readonly self: TelegramSelf;
  take(update: Update): Promise<void>;
  readonly signal: AbortSignal;
}

/** Asking for the next updates confirms those before, so it is done only when they are all written down. */
async function poll({ api, ports, self, take, signal }: Polling): Promise<void> {
  let offset = Number((await ports.position(String(self.id), "offset")) ?? 0);
  let conflicts = 0;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const options = { offset, timeout: pollSeconds, allowed_updates: listensTo };
      const updates = await api<Update[]>("getUpdates", options, signal);
      ports.alive();
      conflicts = 0;
      failures = 0;
      for (const update of updates) {
        await take(update);
        offset = update.update_id + 1;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isConflict = error instanceof TelegramError && error.code === 409;
      if (error instanceof TelegramError && error.code === 401) throw error;
      conflicts += isConflict ? 1 : 0;
      failures += 1;
      if (conflicts > conflictRetries || failures > networkRetries) throw error;
      const { message, retryAfterMs } = failureOf(error);
      ports.logger.warn("updates could not be fetched", { platform: "telegram", failures, message });
      const waitMs = isConflict ? conflictWaitMs : Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1));
      await ports.clock.sleep(retryAfterMs ?? waitMs, signal).catch(() => undefined);
    }
  }
}

function connectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const { message } = failureOf(error);
  if (error instanceof TelegramError && (error.code === 401 || error.code === 404))
    return new ConnectionError("telegram_auth", `Telegram does not accept the bot's token: ${message}`, {
      isRetryable: false,
    });
  if (error instanceof TelegramError && error.code === 409)
    return new ConnectionError("telegram_polling_conflict", "Another program fetches this bot's updates.", {
      isRetryable: false,
    });
  return new ConnectionError("telegram_network", `Telegram cannot be reached: ${message}`, {
    isRetryable: true,
    cause: error,
  });
}

function rulesOf({ config: { telegram } }: ConnectionPorts): TelegramRules {
  return {
    requireMention: telegram.require_mention,
    mentionPatterns: telegram.mention_patterns.map((pattern) => new RegExp(pattern, "iu")),
    freeChats: new Set(telegram.free_response_channels),
    ignoredThreads: new Set(telegram.ignored_threads),
    channelPrompts: telegram.channel_prompts,
  };
}

/** Telegram's menu has a hundred entries, with names of its own alphabet. */
function menu(commands: readonly MenuCommand[]): { command: string; description: string }[] {
  const named = new Map<string, string>();
  for (const { name, description, isSkill } of commands) {
    const command = name
      .toLowerCase()
      .replaceAll("-", "_")
      .replaceAll(/[^a-z0-9_]/gu, "")
      .slice(0, 32);
    if (command !== "" && !named.has(command) && named.size < 100)
      named.set(command, description.slice(0, isSkill === true ? 40 : 256) || command);
  }
  return [...named].map(([command, description]) => ({ command, description }));
}
