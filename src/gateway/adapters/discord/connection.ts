import type { APIUser, GatewayDispatchPayload } from "discord-api-types/v10";
import { describe } from "#foundation/errors";
import { quietly } from "#foundation/files/quietly";
import { timeLimit } from "#foundation/lifecycle/abort";
import type { InboundMessage } from "../../platform/inbound.ts";
import type { Connection, ConnectionPorts, StreamPosition } from "../../platform/platform.ts";
import { openLine } from "../support/line.ts";
import type { Service } from "../support/service-error.ts";
import { type DiscordApi, DiscordError, discordApiOf, discordConnectionError } from "./api.ts";
import { Channels } from "./channels.ts";
import { DirectRoles } from "./direct-roles.ts";
import { DiscordGateway } from "./gateway.ts";
import { type DiscordRules, inThread, readMessage } from "./inbound.ts";
import { takeInteraction } from "./interactions.ts";
import { OfferedSkills, offerInDiscord } from "./menu.ts";
import { sendToDiscord } from "./send.ts";

const service: Service = { id: "discord", label: "Discord" };
const waitsMs = [1_000, 2_000, 5_000, 10_000, 30_000];

/** The bot of the token. */
export async function discordBot(
  { config, fetch }: Pick<ConnectionPorts, "config" | "fetch">,
  signal: AbortSignal,
): Promise<{ readonly api: DiscordApi; readonly me: APIUser }> {
  const api = discordApiOf(config, fetch);
  const me = await api<APIUser>({ method: "GET", path: "/users/@me" }, signal).catch((error: unknown) => {
    throw discordConnectionError(error);
  });
  return { api, me };
}

export async function connectDiscord(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const token = ports.config.platforms["discord"]?.token.reveal() ?? "";
  const { api, me } = await discordBot(ports, signal);
  ports.alive();
  const taking: Taking = {
    ports,
    api,
    self: me,
    rules: rulesOf(ports),
    channels: new Channels(),
    directRoles: new DirectRoles({ ...ports, api, isWanted: ports.config.discord.allowed_roles.length > 0 }),
    skills: new OfferedSkills(),
  };
  const gateway = new DiscordGateway({
    ports,
    api,
    token,
    account: me.id,
    take: (payload, position) => takeDispatch(payload, taking, position),
  });
  const line = openLine({ service, ports, waitsMs, stay: (ready, within) => gateway.stay(ready, within) });
  await line.ready.catch(async (error: unknown) => {
    await line[Symbol.asyncDispose]();
    throw error;
  });
  const sending = { api, allowedMentions: mentionsOf(ports) };
  const { command_sync_policy: policy } = ports.config.discord;
  const path = (chat: string, rest: string) => `/channels/${chat}${rest}`;
  return {
    account: { id: me.id, name: me.username },
    lost: line.lost,
    send: (to, message, context) => sendToDiscord(to, message, { ...sending, ...context }),
    remove: (to, id, within) =>
      api({ method: "DELETE", path: path(to.threadId ?? to.chatId, `/messages/${id}`) }, within),
    typing: (to, within) => api({ method: "POST", path: path(to.threadId ?? to.chatId, "/typing") }, within),
    react: (to, { messageId, emoji, isAdded }, within) => {
      const where = `/messages/${messageId}/reactions/${encodeURIComponent(reactions[emoji] ?? emoji)}/@me`;
      return api({ method: isAdded ? "PUT" : "DELETE", path: path(to.threadId ?? to.chatId, where) }, within);
    },
    async fetchAttachment({ ref }, within) {
      const answer = await ports.fetch(ref["url"] ?? "", { signal: within });
      if (!answer.ok || answer.body === null) throw new Error(`Discord gave status ${answer.status} for the file`);
      return answer.body as AsyncIterable<Uint8Array>;
    },
    channels: () =>
      Promise.resolve(
        taking.channels.list().map(({ id, name, guildName }) => ({ id, name, type: "channel", guild: guildName })),
      ),
    async offerCommands(commands, within) {
      taking.skills.set(commands);
      await offerInDiscord(commands, { api, application: me.id, policy }, within);
    },
    // The session is not ended: what arrives meanwhile is kept for the next connection.
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

const reactions: Readonly<Record<string, string>> = { "👍": "✅", "👎": "❌" };

interface Taking {
  readonly ports: ConnectionPorts;
  readonly api: DiscordApi;
  readonly self: { readonly id: string };
  readonly rules: DiscordRules;
  readonly channels: Channels;
  readonly directRoles: DirectRoles;
  readonly skills: OfferedSkills;
}

async function takeDispatch(
  payload: GatewayDispatchPayload,
  taking: Taking,
  position: StreamPosition | undefined,
): Promise<void> {
  const { channels, self, rules, ports } = taking;
  channels.note(payload);
  // From here on everything is owed to us, also when the very first message cannot be written down.
  if (payload.t === "READY" && position !== undefined) await ports.keepPosition(self.id, position);
  if (payload.t === "INTERACTION_CREATE")
    // Nobody delivers those again, so that a failure is no reason to leave.
    return await quietly("taking an interaction", () => takeInteraction(payload.d, taking), {
      logger: ports.logger,
      level: "error",
    });
  if (payload.t !== "MESSAGE_CREATE") return;
  const read = readMessage(payload.d, self, { rules, channel: channels.get(payload.d.channel_id) });
  if (read === undefined) return;
  const message = await withRoles(read.message, taking);
  const threadId = read.opensThread ? await openThread(payload.d, taking) : undefined;
  await ports.admit(threadId === undefined ? message : inThread(message, threadId), position);
}

/** In a direct chat nothing says which roles somebody has. */
async function withRoles(message: InboundMessage, { directRoles }: Taking): Promise<InboundMessage> {
  const { source } = message;
  if (source.chatType !== "dm" || source.userId === undefined || source.isBot === true) return message;
  return { ...message, source: { ...source, roles: await directRoles.of(source.userId) } };
}

/** A thread that begins with a message has the id of that message, however often it is asked for. */
async function openThread(
  message: { readonly id: string; readonly channel_id: string; readonly content: string },
  { api, channels, self, ports }: Taking,
) {
  const name =
    message.content
      .replaceAll(/<[@#][^>]*>/gu, "")
      .trim()
      .slice(0, 80) || "Hermes";
  const path = `/channels/${message.channel_id}/messages/${message.id}/threads`;
  try {
    await api({ method: "POST", path, body: { name, auto_archive_duration: 1440 } }, timeLimit(10_000));
  } catch (error) {
    const existsAlready = error instanceof DiscordError && error.code === 160_004;
    if (!existsAlready) {
      ports.logger.warn("no thread could be opened", { platform: "discord", error: describe(error) });
      return undefined;
    }
  }
  channels.add({ id: message.id, name, type: 11, parent_id: message.channel_id, owner_id: self.id });
  return message.id;
}

function rulesOf({ config: { discord } }: ConnectionPorts): DiscordRules {
  return {
    requireMention: discord.require_mention,
    freeChannels: new Set(discord.free_response_channels),
    allowedChannels: new Set(discord.allowed_channels),
    ignoredChannels: new Set(discord.ignored_channels),
    noThreadChannels: new Set(discord.no_thread_channels),
    autoThread: discord.auto_thread,
    ignoreNoMention: discord.ignore_no_mention,
    allowBots: discord.allow_bots,
    channelPrompts: discord.channel_prompts,
  };
}

/** What the model writes mentions nobody it may not. */
function mentionsOf({ config: { discord } }: ConnectionPorts): Readonly<Record<string, unknown>> {
  const parse = [
    ...(discord.allow_mention_everyone ? ["everyone"] : []),
    ...(discord.allow_mention_roles ? ["roles"] : []),
    ...(discord.allow_mention_users ? ["users"] : []),
  ];
  return { parse, replied_user: discord.allow_mention_replied_user };
}
