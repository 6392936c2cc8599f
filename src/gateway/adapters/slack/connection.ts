import { describe } from "#foundation/errors";
import { timeLimit } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import type { Channel, Connection, ConnectionPorts } from "../../platform/platform.ts";
import { slackApi } from "./api.ts";
import { listenForSlack } from "./calls.ts";
import { connectionError } from "./connection-error.ts";
import { readAction, readEvent, readSlashCommand, type SlackRules } from "./inbound.ts";
import { OurThreads } from "./our-threads.ts";
import { findInSlack, sendToSlack } from "./send.ts";
import { type Envelope, stayOnSocket } from "./socket.ts";
import { openWorkspace, openWorkspaces, slackTokens, type Workspace, type Workspaces } from "./workspaces.ts";

/** The bot of the first token. */
export async function slackBot(
  { config, fetch }: Pick<ConnectionPorts, "config" | "fetch">,
  signal: AbortSignal,
): Promise<Workspace> {
  const [token = ""] = await slackTokens({ config });
  return await openWorkspace({ fetch, root: rootOf(config), token }, signal).catch((error: unknown) => {
    throw connectionError(error);
  });
}

function rootOf({ slack }: ConnectionPorts["config"]): string {
  return slack.base_url === "" ? "https://slack.com/api" : slack.base_url;
}

/** Connects the app of the tokens: events come over a socket, or as calls to an address of ours. */
export async function connectSlack(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { slack } = ports.config;
  const workspaces = await openWorkspaces(ports, rootOf(ports.config), signal).catch((error: unknown) => {
    throw connectionError(error);
  });
  const { self, name } = workspaces.first;
  const rules: SlackRules = {
    requireMention: slack.require_mention,
    freeChannels: new Set(slack.free_response_channels),
    allowBots: slack.allow_bots,
    dmThreadsAsSessions: slack.dm_top_level_threads_as_sessions,
    repliesInThread: slack.reply_in_thread,
    channelPrompts: slack.channel_prompts,
  };
  const threads = new OurThreads();
  const take = (envelope: Envelope): Promise<void> => takeEnvelope(envelope, { ports, workspaces, rules, threads });
  const way =
    slack.connection_mode === "webhook"
      ? await listenForSlack({ ports, account: self.account, take })
      : await stayOnSocket({
          appApi: slackApi(ports.fetch, rootOf(ports.config), slack.app_token.reveal()),
          ports,
          take,
        });
  const sendingTo = (chatId: string) => ({
    api: workspaces.apiFor(chatId),
    fetch: ports.fetch,
    broadcasts: slack.reply_broadcast,
  });
  return {
    account: { id: self.account, name },
    lost: way.lost,
    async send(to, message, context) {
      if (to.threadId !== undefined) threads.add(to.chatId, to.threadId);
      return await sendToSlack(to, message, { ...sendingTo(to.chatId), ...context });
    },
    reconcile: (to, _message, context) => findInSlack(to, { ...sendingTo(to.chatId), ...context }),
    remove: async ({ chatId: channel }, ts, within) =>
      void (await workspaces.apiFor(channel)("chat.delete", { channel, ts }, within)),
    async typing(to, within) {
      if (to.threadId === undefined) return;
      const status = { channel_id: to.chatId, thread_ts: to.threadId, status: "is working…" };
      await workspaces.apiFor(to.chatId)("assistant.threads.setStatus", status, within);
    },
    async react(to, { messageId, emoji, isAdded }, within) {
      const name = reactions[emoji] ?? "eyes";
      await workspaces.apiFor(to.chatId)(
        isAdded ? "reactions.add" : "reactions.remove",
        { channel: to.chatId, timestamp: messageId, name },
        within,
      );
    },
    async fetchAttachment({ ref }, within) {
      const headers = { authorization: `Bearer ${workspaces.of({ team_id: ref["team"] }).token}` };
      const answer = await ports.fetch(ref["url"] ?? "", { headers, signal: within });
      const type = answer.headers.get("content-type") ?? "";
      // Without the right, Slack shows a page to log in.
      if (!answer.ok || answer.body === null || type.startsWith("text/html"))
        throw new Error(`Slack did not give the file (status ${answer.status})`);
      return answer.body as AsyncIterable<Uint8Array>;
    },
    channels: async (within) => (await Promise.all(workspaces.all.map((one) => listChannels(one, within)))).flat(),
    [Symbol.asyncDispose]: way.close,
  };
}

const reactions: Readonly<Record<string, string>> = {
  "👀": "eyes",
  "✅": "white_check_mark",
  "👍": "white_check_mark",
  "❌": "x",
  "👎": "x",
};

interface Taking {
  readonly ports: ConnectionPorts;
  readonly workspaces: Workspaces;
  readonly rules: SlackRules;
  readonly threads: OurThreads;
}

async function takeEnvelope({ type, payload }: Envelope, taking: Taking): Promise<void> {
  const { ports, workspaces, rules, threads } = taking;
  const workspace = workspaces.of(payload);
  const { self } = workspace;
  if (type === "slash_commands") {
    const message = readSlashCommand(payload, self);
    workspaces.heard(message.source.chatId, workspace);
    return void (await ports.admit(message));
  }
  if (type === "interactive") return await takePress(payload, workspace, ports);
  const event = payload["event"];
  const read = isRecord(event) ? readEvent(event, self, rules) : undefined;
  if (read === undefined) return;
  const { message } = read;
  const { chatId, threadId } = message.source;
  workspaces.heard(chatId, workspace);
  const thread = { channel: chatId, ts: threadId ?? "" };
  if (read.needsThreadCheck && !(await threads.has(thread, workspace))) return;
  const isReply = threadId !== undefined && threadId !== message.messageId;
  const earlier = isReply ? await threads.earlier(thread, message.messageId ?? "", workspace) : undefined;
  if (threadId !== undefined) threads.add(chatId, threadId);
  await ports.admit({ ...message, earlier });
}

async function takePress(
  payload: Readonly<Record<string, unknown>>,
  { api, self }: Workspace,
  ports: ConnectionPorts,
): Promise<void> {
  const press = readAction(payload, self);
  if (press === undefined) return;
  const text = await ports.press(press);
  const { chatId: channel, userId: user } = press.source;
  await api("chat.postEphemeral", { channel, user, text }, timeLimit(10_000)).catch((error: unknown) =>
    ports.logger.warn("a button press could not be answered", { platform: "slack", error: describe(error) }),
  );
}

async function listChannels({ api }: Workspace, signal: AbortSignal): Promise<readonly Channel[]> {
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
