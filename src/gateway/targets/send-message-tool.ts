import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import type { Clock } from "#foundation/time/clock";
import type { OutboxEntry, Store } from "#store";
import { askAboutLasting, defineTool, result, type Tool, type ToolContext, ToolFailure } from "#tools";
import type { Users } from "../access/users.ts";
import type { Replies } from "../delivery/replies.ts";
import type { MessageSource } from "../platform/inbound.ts";
import { type ChannelDirectory, channelTarget, type ListedChannel } from "./directory.ts";
import { mirror } from "./mirror.ts";
import { homeChannel, resolveTarget, type TargetDeps } from "./target.ts";

export interface SendMessageDeps extends TargetDeps {
  readonly store: Store;
  readonly directory: ChannelDirectory;
  readonly replies: Replies;
  readonly users: Pick<Users, "isAdmin">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a call waits to hear from the platform; the message is owed either way. */
const waitMs = 8_000;
const lookMs = 100;

/** The `send_message` tool: writes into chats of connected platforms, and lists them. */
export function sendMessageTool(deps: SendMessageDeps): Tool {
  return defineTool({
    name: "send_message",
    toolset: "messaging",
    emoji: "📨",
    description:
      "Send a message to a chat of a connected platform, or list the chats that can be reached. For a named person or channel " +
      "list first; a bare platform name means its home channel.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["send", "list"], description: "send (the default) or list" },
        target: { type: "string", description: "platform, platform:#name or platform:chat_id[:thread_id]" },
        message: { type: "string", description: "What to send; MEDIA:<path> attaches a file" },
      },
    },
    effects: "elsewhere",
    isForMainAgent: true,
    isIdempotent: false,
    shorten: ({ action, target }) => ["send_message", action ?? "send", target].filter(Boolean).join(" "),
    async run({ action, target = "", message = "" }, context) {
      if (action === "list") return result(await listing(deps, context));
      if (context.scope.source === "cron")
        throw new ToolFailure("Jobs deliver their final answer by themselves; they send nothing else.");
      if (target.trim() === "" || message.trim() === "")
        throw new ToolFailure("target and message are needed. List the chats with action=list.");
      return await send({ target, message }, deps, context);
    },
  });
}

async function send(
  { target, message }: { readonly target: string; readonly message: string },
  deps: SendMessageDeps,
  context: ToolContext,
) {
  const { store } = deps;
  const own = await store.routes.bySession(context.sessionId as Parameters<Store["routes"]["bySession"]>[0]);
  const origin =
    own?.chatId === undefined ? undefined : { ...own, chatId: own.chatId, account: accountIn(own.details) };
  await using _visitor = await visitorFor(target, deps, context.signal);
  const source = await resolveTarget({ word: target, origin }, deps);
  if (typeof source === "string") throw new ToolFailure(source);
  const isOwn = own?.platform === source.platform && own.chatId === source.chatId;
  if (!isOwn) {
    const refusal =
      (await notAllowed({ target, source }, deps, context)) ?? (await askAboutLasting(context, asked(target, message)));
    if (refusal !== undefined) throw new ToolFailure(refusal);
  }
  const key = `send:${context.sessionId}:${context.callId}`;
  const inbound = { source, text: "", dedupKey: key, atMs: 0, attachments: [] };
  const sessionKey = `delivery:${source.platform}:${source.chatId}`;
  const rows = deps.replies.answer(message, { message: inbound, sessionKey, key });
  context.signal.throwIfAborted();
  await store.outbox.owe(rows);
  const last = await settled(
    rows.map(({ idempotencyKey }) => idempotencyKey),
    deps,
    context.signal,
  );
  if (last?.status === "failed" || last?.status === "dead")
    throw new ToolFailure(`${source.platform} did not take the message: ${last.errorClass ?? "no reason was given"}.`);
  const note = { key, from: own?.platform ?? context.scope.source, text: message, sessionId: context.sessionId };
  const isMirrored = await quietly(
    "telling a conversation what was sent to its chat",
    () => store.transaction((tx) => mirror(tx, source, note)),
    { logger: deps.logger },
  );
  return result({
    success: true,
    platform: source.platform,
    chat_id: source.chatId,
    message_id: last?.platformMessageId,
    note: last?.status === "sent" ? undefined : "It is owed, and goes out as soon as the gateway is connected.",
    mirrored: isMirrored === true ? true : undefined,
  });
}

/** Where no gateway runs, the message leaves from here; the account is known then, too. */
async function visitorFor(
  target: string,
  { platforms, visit, logger }: SendMessageDeps,
  signal: AbortSignal,
): Promise<AsyncDisposable | undefined> {
  const [id] = target.trim().toLowerCase().split(":");
  const platform = platforms.find((one) => one.id === id);
  if (platform === undefined || visit === undefined) return undefined;
  return await quietly("sending without a gateway", () => visit(platform, signal), { logger });
}

const asked = (target: string, message: string) => ({ tool: "send_message", summary: `${target}: ${message}` });

/** Why this conversation may not write there. Those who are no admins reach the chats they have written in. */
async function notAllowed(
  { target, source }: { readonly target: string; readonly source: MessageSource },
  { configNow, directory, users }: SendMessageDeps,
  { scope }: ToolContext,
): Promise<string | undefined> {
  const { platform, chatId, threadId } = source;
  const names = [
    target,
    platform,
    channelTarget({ ...source, id: chatId, name: "", type: "" }),
    `${platform}:${chatId}`,
  ];
  const allowed = (await configNow()).messaging.allowed_targets;
  if (allowed.length > 0 && !allowed.some((one) => names.includes(one.trim())))
    return `messaging.allowed_targets does not name ${target}.`;
  if (reachesAll(scope, users)) return undefined;
  const reached = await directory.spokenInBy(scope.userId ?? "");
  const isTheirs = reached.some((one) => one.platform === platform && one.id === chatId && one.threadId === threadId);
  return isTheirs ? undefined : "Only admins may write to chats that they have not written in themselves.";
}

function reachesAll({ userId, source }: ToolContext["scope"], users: Pick<Users, "isAdmin">): boolean {
  return userId === undefined || users.isAdmin({ platform: source, account: "", chatId: "", chatType: "dm", userId });
}

async function listing(deps: SendMessageDeps, { scope }: ToolContext): Promise<string> {
  const { directory, platforms, users } = deps;
  const config = await deps.configNow();
  const isFree = reachesAll(scope, users);
  const channels = isFree ? await directory.list() : await directory.spokenInBy(scope.userId ?? "");
  const blocks = platforms.map(({ id, label }) => {
    const home = isFree ? homeChannel(config, id) : undefined;
    const lines = channels.filter(({ platform }) => platform === id).map(channelLine);
    const head = home === undefined ? label : `${label} (home channel: ${id})`;
    return [head, ...(lines.length === 0 ? ["  no chat is known yet"] : lines)].join("\n");
  });
  return blocks.length === 0 ? "No chat platform is set up." : blocks.join("\n\n");
}

function channelLine(channel: ListedChannel): string {
  const { name, type, guild } = channel;
  return `  ${channelTarget(channel)}  ${guild === undefined ? "" : `${guild}/`}${name} (${type})`;
}

/** The last row when all of them went out, or the first that cannot; undefined when neither is known in time. */
async function settled(
  keys: readonly string[],
  { store, clock }: Pick<SendMessageDeps, "store" | "clock">,
  signal: AbortSignal,
): Promise<OutboxEntry | undefined> {
  const untilMs = clock.now() + waitMs;
  while (clock.now() < untilMs) {
    const rows = await Promise.all(keys.map((key) => store.outbox.byKey(key)));
    const lost = rows.find((row) => row?.status === "failed" || row?.status === "dead");
    if (lost !== undefined) return lost;
    if (rows.every((row) => row?.status === "sent")) return rows.at(-1);
    await clock.sleep(lookMs, signal);
  }
  return undefined;
}

function accountIn({ account }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof account === "string" ? account : undefined;
}
