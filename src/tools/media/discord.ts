import { defined } from "#foundation/defined";
import type { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { ToolFailure } from "../contract/result.ts";
import { callService, type ServiceCall } from "../web/service-call.ts";

export interface DiscordAccess {
  /** `https://discord.com`, or where else the service is. */
  readonly url: string;
  readonly token: Secret;
}

/** What the bot's owner switched on for it at Discord. */
export interface DiscordIntents {
  readonly members: boolean;
  readonly content: boolean;
}

export interface DiscordArguments {
  readonly guild_id?: string | undefined;
  readonly channel_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly role_id?: string | undefined;
  readonly message_id?: string | undefined;
  readonly query?: string | undefined;
  readonly name?: string | undefined;
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly auto_archive_duration?: number | undefined;
}

interface Call {
  readonly method?: NonNullable<ServiceCall["method"]>;
  readonly path: string;
  readonly json?: object;
}

export interface DiscordAction {
  /** One line for the model. */
  readonly line: string;
  readonly needs: readonly (keyof DiscordArguments)[];
  readonly call: (args: DiscordArguments) => Call;
  /** What the model is told of the answer. */
  readonly show: (answer: unknown) => unknown;
  /** Needs the members intent. */
  readonly readsMembers?: boolean;
  /** Shows what people wrote. */
  readonly readsMessages?: boolean;
  /** What a person is asked before it is done. */
  readonly asks?: string;
  /** What a bot that may not do this lacks. */
  readonly permission: string;
}

const timeoutMs = 15_000;

/** One call as the bot; a refusal is told with the permission that the action needs. */
export async function callDiscord(
  { url, token }: DiscordAccess,
  { method = "GET", path, json }: Call,
  { signal, permission }: { readonly signal: AbortSignal; readonly permission: string },
): Promise<unknown> {
  const answer = await callService(`${url}/api/v10${path}`, {
    method,
    headers: { authorization: `Bot ${token.reveal()}`, "user-agent": "DiscordBot (hermes, 1)" },
    timeoutMs,
    signal,
    ...defined({ json }),
  });
  if (answer.kind === "ok") return answer.value;
  if (answer.status === 403)
    throw new ToolFailure(`Discord refused: ${answer.reason}. The bot needs the permission "${permission}" there.`);
  throw new ToolFailure(`Discord refused: ${answer.reason}`);
}

const membersFlags = (1 << 14) | (1 << 15);
const contentFlags = (1 << 18) | (1 << 19);

/** Read from the bot's own application; what cannot be read is taken as switched on, and Discord refuses what is not. */
export async function intentsOf(access: DiscordAccess, signal: AbortSignal): Promise<DiscordIntents> {
  const { url, token } = access;
  const answer = await callService(`${url}/api/v10/applications/@me`, {
    headers: { authorization: `Bot ${token.reveal()}` },
    timeoutMs: 5_000,
    signal,
  });
  const flags = answer.kind === "ok" && isRecord(answer.value) ? answer.value["flags"] : undefined;
  if (typeof flags !== "number") return { members: true, content: true };
  return { members: (flags & membersFlags) !== 0, content: (flags & contentFlags) !== 0 };
}

const id = (value: string | undefined): string => encodeURIComponent(value ?? "");
const guild = ({ guild_id }: DiscordArguments): string => `/guilds/${id(guild_id)}`;
const channel = ({ channel_id }: DiscordArguments): string => `/channels/${id(channel_id)}`;
const pin = (args: DiscordArguments): string => `${channel(args)}/pins/${id(args.message_id)}`;
const role = (args: DiscordArguments): string => `${guild(args)}/members/${id(args.user_id)}/roles/${id(args.role_id)}`;

function pick(...names: readonly string[]): (value: unknown) => Record<string, unknown> {
  return (value) => {
    const from = isRecord(value) ? value : {};
    return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
  };
}

function each(show: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => (Array.isArray(value) ? value.map(show) : []);
}

const shownUser = pick("id", "username", "global_name", "bot");
const shownMember = (value: unknown): unknown => ({
  ...pick("nick", "roles", "joined_at")(value),
  user: shownUser(isRecord(value) ? value["user"] : undefined),
});
const shownMessage = (value: unknown): unknown => {
  const message = isRecord(value) ? value : {};
  const attachments = each(pick("filename", "url", "size"))(message["attachments"]);
  return {
    ...pick("id", "timestamp", "content", "pinned")(message),
    author: shownUser(message["author"]),
    attachments,
  };
};
const done = (): unknown => ({ done: true });

/** Taking part: what the tool `discord` does. */
export const coreActions: Readonly<Record<string, DiscordAction>> = {
  fetch_messages: {
    line: "fetch_messages(channel_id): the latest messages, or those before or after one; newest first",
    needs: ["channel_id"],
    call: (args) => {
      const { limit = 50, before, after } = args;
      const at = { ...defined({ before, after }) };
      return { path: `${channel(args)}/messages?${new URLSearchParams({ limit: String(limit), ...at })}` };
    },
    show: each(shownMessage),
    readsMessages: true,
    permission: "Read Message History",
  },
  search_members: {
    line: "search_members(guild_id, query): members whose name begins so",
    needs: ["guild_id", "query"],
    call: (args) => {
      const { query = "", limit = 50 } = args;
      return { path: `${guild(args)}/members/search?${new URLSearchParams({ query, limit: String(limit) })}` };
    },
    show: each(shownMember),
    readsMembers: true,
    permission: "View Server Members",
  },
  create_thread: {
    line: "create_thread(channel_id, name): a new public thread, on message_id if given",
    needs: ["channel_id", "name"],
    call: (args) => {
      const { name, message_id, auto_archive_duration = 1440 } = args;
      const on = message_id === undefined ? "" : `/messages/${id(message_id)}`;
      const kind = message_id === undefined ? { type: 11 } : {};
      return { method: "POST", path: `${channel(args)}${on}/threads`, json: { name, auto_archive_duration, ...kind } };
    },
    show: pick("id", "name", "parent_id"),
    permission: "Create Public Threads",
  },
};

/** Managing: what the tool `discord_admin` does. */
export const adminActions: Readonly<Record<string, DiscordAction>> = {
  list_guilds: {
    line: "list_guilds(): the servers the bot is in",
    needs: [],
    call: () => ({ path: "/users/@me/guilds" }),
    show: each(pick("id", "name", "owner")),
    permission: "View Channels",
  },
  server_info: {
    line: "server_info(guild_id): name, size and features of a server",
    needs: ["guild_id"],
    call: (args) => ({ path: `${guild(args)}?with_counts=true` }),
    show: pick("id", "name", "description", "owner_id", "approximate_member_count", "features"),
    permission: "View Channels",
  },
  list_channels: {
    line: "list_channels(guild_id): its channels",
    needs: ["guild_id"],
    call: (args) => ({ path: `${guild(args)}/channels` }),
    show: each(pick("id", "name", "type", "parent_id", "topic", "position")),
    permission: "View Channels",
  },
  channel_info: {
    line: "channel_info(channel_id): everything about one channel",
    needs: ["channel_id"],
    call: (args) => ({ path: channel(args) }),
    show: pick("id", "name", "type", "guild_id", "parent_id", "topic", "nsfw", "rate_limit_per_user"),
    permission: "View Channels",
  },
  list_roles: {
    line: "list_roles(guild_id): its roles",
    needs: ["guild_id"],
    call: (args) => ({ path: `${guild(args)}/roles` }),
    show: each(pick("id", "name", "position", "permissions", "managed")),
    permission: "Manage Roles",
  },
  member_info: {
    line: "member_info(guild_id, user_id): one member with roles",
    needs: ["guild_id", "user_id"],
    call: (args) => ({ path: `${guild(args)}/members/${id(args.user_id)}` }),
    show: shownMember,
    readsMembers: true,
    permission: "View Server Members",
  },
  list_pins: {
    line: "list_pins(channel_id): pinned messages",
    needs: ["channel_id"],
    call: (args) => ({ path: `${channel(args)}/pins` }),
    show: each(shownMessage),
    readsMessages: true,
    permission: "Read Message History",
  },
  pin_message: {
    line: "pin_message(channel_id, message_id)",
    needs: ["channel_id", "message_id"],
    call: (args) => ({ method: "PUT", path: pin(args) }),
    show: done,
    permission: "Pin Messages",
  },
  unpin_message: {
    line: "unpin_message(channel_id, message_id)",
    needs: ["channel_id", "message_id"],
    call: (args) => ({ method: "DELETE", path: pin(args) }),
    show: done,
    permission: "Pin Messages",
  },
  add_role: {
    line: "add_role(guild_id, user_id, role_id)",
    needs: ["guild_id", "user_id", "role_id"],
    call: (args) => ({ method: "PUT", path: role(args) }),
    show: done,
    asks: "gives a member of a Discord server a role",
    permission: "Manage Roles",
  },
  remove_role: {
    line: "remove_role(guild_id, user_id, role_id)",
    needs: ["guild_id", "user_id", "role_id"],
    call: (args) => ({ method: "DELETE", path: role(args) }),
    show: done,
    asks: "takes a role from a member of a Discord server",
    permission: "Manage Roles",
  },
};
