import { describe } from "#foundation/errors";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord } from "#foundation/text/json";
import { type Channel, type Connection, ConnectionError, type ConnectionPorts } from "../../platform/platform.ts";
import { failureOf, isAuthError, type SlackApi, slackApi } from "./api.ts";
import { readAction, readEvent, readSlashCommand, type SlackRules, type SlackSelf } from "./inbound.ts";
import { findInSlack, sendToSlack } from "./send.ts";
import { type Envelope, listen } from "./socket.ts";

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
const mostTries = 10;
const rememberedThreads = 1_000;

/** The bot of the token. */
export async function slackBot(
  { config, fetch }: Pick<ConnectionPorts, "config" | "fetch">,
  signal: AbortSignal,
): Promise<{ readonly api: SlackApi; readonly who: Readonly<Record<string, unknown>> }> {
  const api = slackApi(fetch, rootOf(config), config.platforms["slack"]?.token.reveal() ?? "");
  const who = await api("auth.test", {}, signal).catch((error: unknown) => {
    throw connectionError(error);
  });
  return { api, who };
}

function rootOf({ slack }: ConnectionPorts["config"]): string {
  return slack.base_url === "" ? "https://slack.com/api" : slack.base_url;
}

/** Connects the app of the tokens by Socket Mode. */
export async function connectSlack(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { slack, platforms } = ports.config;
  const token = platforms["slack"]?.token.reveal() ?? "";
  const { api, who } = await slackBot(ports, signal);
  const appApi = slackApi(ports.fetch, rootOf(ports.config), slack.app_token.reveal());
  const self: SlackSelf = {
    userId: String(who["user_id"]),
    teamId: String(who["team_id"]),
    botId: typeof who["bot_id"] === "string" ? who["bot_id"] : undefined,
  };
  const rules: SlackRules = {
    requireMention: slack.require_mention,
    freeChannels: new Set(slack.free_response_channels),
    allowBots: slack.allow_bots,
    dmThreadsAsSessions: slack.dm_top_level_threads_as_sessions,
    repliesInThread: slack.reply_in_thread,
    channelPrompts: slack.channel_prompts,
  };
  const threads = new OurThreads(api, self);
  const take = (envelope: Envelope): Promise<void> => takeEnvelope(envelope, { ports, api, self, rules, threads });
  const lost = new Deferred<ConnectionError>();
  const stop = new AbortController();
  const isListening = new Deferred<void>();
  const running = keepListening({ appApi, ports, take, onListening: () => isListening.resolve() }, stop.signal).then(
    () => undefined,
    (error: unknown) => {
      const failure = connectionError(error);
      isListening.reject(failure);
      lost.resolve(failure);
    },
  );
  await isListening.promise;
  const sending = { api, fetch: ports.fetch, broadcasts: slack.reply_broadcast };
  return {
    account: { id: self.teamId, name: String(who["user"] ?? "hermes") },
    lost: lost.promise,
    async send(to, message, context) {
      if (to.threadId !== undefined) threads.add(to.chatId, to.threadId);
      return await sendToSlack(to, message, { ...sending, ...context });
    },
    reconcile: (to, _message, context) => findInSlack(to, { ...sending, ...context }),
    remove: async (to, ts, within) => void (await api("chat.delete", { channel: to.chatId, ts }, within)),
    async typing(to, within) {
      if (to.threadId === undefined) return;
      const status = { channel_id: to.chatId, thread_ts: to.threadId, status: "is working…" };
      await api("assistant.threads.setStatus", status, within);
    },
    async react(to, { messageId, emoji, isAdded }, within) {
      const name = reactions[emoji] ?? "eyes";
      await api(
        isAdded ? "reactions.add" : "reactions.remove",
        { channel: to.chatId, timestamp: messageId, name },
        within,
      );
    },
    async fetchAttachment({ ref }, within) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await ports.fetch(ref["url"] ?? "", { headers, signal: within });
      const type = answer.headers.get("content-type") ?? "";
      // Without the right, Slack shows a page to log in.
      if (!answer.ok || answer.body === null || type.startsWith("text/html"))
        throw new Error(`Slack did not give the file (status ${answer.status})`);
      return answer.body as AsyncIterable<Uint8Array>;
    },
    channels: (within) => listChannels(api, within),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

const reactions: Readonly<Record<string, string>> = {
  "👀": "eyes",
  "✅": "white_check_mark",
  "👍": "white_check_mark",
  "❌": "x",
  "👎": "x",
};

interface Listening {
  readonly appApi: SlackApi;
  readonly ports: ConnectionPorts;
  take(envelope: Envelope): Promise<void>;
  onListening(): void;
}

/** Slack ends every socket after a while; the next one is opened at once. */
async function keepListening({ appApi, ports, take, onListening }: Listening, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { url } = await appApi("apps.connections.open", {}, signal);
      const alive = (): void => {
        failures = 0;
        ports.alive();
        onListening();
      };
      const reason = await listen(String(url), { ports, take, alive }, signal);
      if (signal.aborted) return;
      ports.logger.info("the socket ended", { platform: "slack", reason });
    } catch (error) {
      if (signal.aborted) return;
      if (isAuthError(error)) throw error;
      ports.logger.warn("no socket", { platform: "slack", message: failureOf(error).message });
    }
    failures += 1;
    if (failures > mostTries)
      throw new ConnectionError("slack_network", "Slack cannot be reached.", { isRetryable: true });
    if (failures > 1) {
      const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 2));
      await ports.clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }
}

interface Taking {
  readonly ports: ConnectionPorts;
  readonly api: SlackApi;
  readonly self: SlackSelf;
  readonly rules: SlackRules;
  readonly threads: OurThreads;
}

async function takeEnvelope({ type, payload }: Envelope, { ports, api, self, rules, threads }: Taking): Promise<void> {
  if (type === "slash_commands") return void (await ports.admit(readSlashCommand(payload, self)));
  if (type === "interactive") {
    const press = readAction(payload, self);
    if (press === undefined) return;
    const text = await ports.press(press);
    const { chatId: channel, userId: user } = press.source;
    await api("chat.postEphemeral", { channel, user, text }, AbortSignal.timeout(10_000)).catch((error: unknown) =>
      ports.logger.warn("a button press could not be answered", { platform: "slack", error: describe(error) }),
    );
    return;
  }
  const event = payload["event"];
  const read = isRecord(event) ? readEvent(event, self, rules) : undefined;
  if (read === undefined) return;
  const { chatId, threadId } = read.message.source;
  if (read.needsThreadCheck && !(await threads.has(chatId, threadId ?? ""))) return;
  if (threadId !== undefined) threads.add(chatId, threadId);
  await ports.admit(read.message);
}

/** Threads we take part in: a mention is needed once. What was forgotten is looked up. */
class OurThreads {
  readonly #api: SlackApi;
  readonly #self: SlackSelf;
  readonly #known = new Map<string, boolean>();

  constructor(api: SlackApi, self: SlackSelf) {
    this.#api = api;
    this.#self = self;
  }

  add(channel: string, thread: string): void {
    this.#remember(`${channel}:${thread}`, true);
  }

  async has(channel: string, thread: string): Promise<boolean> {
    const key = `${channel}:${thread}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { userId } = this.#self;
    const answer = await this.#api(
      "conversations.replies",
      { channel, ts: thread, limit: 50 },
      AbortSignal.timeout(2_000),
    ).catch(() => ({}));
    const messages =
      "messages" in answer && Array.isArray(answer["messages"]) ? answer["messages"].filter(isRecord) : [];
    const isOurs = messages.some(
      (message) => message["user"] === userId || String(message["text"]).includes(`<@${userId}>`),
    );
    this.#remember(key, isOurs);
    return isOurs;
  }

  #remember(key: string, isOurs: boolean): void {
    this.#known.delete(key);
    this.#known.set(key, isOurs);
    const [oldest] = this.#known.keys();
    if (this.#known.size > rememberedThreads && oldest !== undefined) this.#known.delete(oldest);
  }
}

async function listChannels(api: SlackApi, signal: AbortSignal): Promise<readonly Channel[]> {
  const answer = await api(
    "conversations.list",
    { limit: 1000, exclude_archived: true, types: "public_channel,private_channel" },
    signal,
  );
  const channels = Array.isArray(answer["channels"]) ? answer["channels"].filter(isRecord) : [];
  return channels
    .filter((channel) => channel["is_member"] === true)
    .map((channel) => ({ id: String(channel["id"]), name: String(channel["name"]), type: "channel" }));
}

function connectionError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  const { message } = failureOf(error);
  if (isAuthError(error))
    return new ConnectionError("slack_auth", `Slack does not accept the tokens: ${message}`, { isRetryable: false });
  return new ConnectionError("slack_network", `Slack cannot be reached: ${message}`, {
    isRetryable: true,
    cause: error,
  });
}
