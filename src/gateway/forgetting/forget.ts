import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { SessionId } from "#conversation";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { memoryFolder } from "#foundation/files/memory-folder";
import type { HermesHome } from "#foundation/files/paths";
import { Scope } from "#foundation/lifecycle/disposal";
import type { Clock } from "#foundation/time/clock";
import { leaseOwner, type Store, takeLease } from "#store";
import { Pairing } from "../access/pairing.ts";
import { forgetAsks } from "../asks/ask-rows.ts";
import { readInbound } from "../chats/read-inbound.ts";
import { chatLease, forgetEnds } from "../crashes/blame.ts";
import { mediaFolders, mediaId } from "../media/incoming.ts";
import type { InboundMessage, MessageSource } from "../platform/inbound.ts";
import { ChannelDirectory } from "../targets/directory.ts";
import { setVoiceMode } from "../voice/voice-mode.ts";

export interface ForgetDeps {
  readonly home: HermesHome;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A person or a chat of a platform, by the platform's own id. */
export interface Forgotten {
  readonly platform: string;
  readonly id: string;
}

/** What is stored of them, and goes. */
export interface Found {
  /** Keys of the conversations that are theirs alone. */
  readonly chats: readonly string[];
  /** Keys of conversations with others: their own messages go there, the transcript stays. */
  readonly shared: readonly string[];
  /** Chats of which nothing stays that was sent there. */
  readonly sentTo: readonly string[];
  readonly sessions: readonly SessionId[];
  readonly received: readonly number[];
  readonly owedKeys: readonly string[];
  readonly media: readonly string[];
}

/** Looks for everything that is stored of a person or a chat. */
export async function findTraces(who: Forgotten, { store, home }: ForgetDeps): Promise<Found> {
  const chats: string[] = [];
  const shared: string[] = [];
  const sentTo = new Set([who.id]);
  const received: { readonly id: number; readonly message: InboundMessage | undefined }[] = [];
  const owedKeys: string[] = [];
  const sessions = new Set<SessionId>();
  const others = new Set<SessionId>();
  for (const key of await store.traces.chatsNaming(who.platform, who.id)) {
    const { route, ...traces } = await store.traces.ofChat(key);
    const rows = traces.received.map(({ id, event }) => ({ id, message: readInbound(event) }));
    const theirs = rows.filter(({ message }) => isOf(message?.source, who.id));
    const sources = [
      ...theirs.flatMap(({ message }) => message?.source ?? []),
      ...(isOf(route, who.id) ? [route] : []),
    ];
    const [source] = sources;
    if (source === undefined) continue;
    const isTheirs = sources.some((one) => isWhole(key, one, who.id));
    (isTheirs ? chats : shared).push(key);
    received.push(...(isTheirs ? rows : theirs));
    if (isTheirs) owedKeys.push(...traces.owedKeys);
    if (source.chatType === "dm" && source.chatId !== undefined) sentTo.add(source.chatId);
    for (const id of traces.sessionIds) (isTheirs ? sessions : others).add(id);
  }
  // Also those of homes that named people without their platform.
  for (const name of [`${who.platform}:${who.id}`, who.id])
    for (const id of await store.traces.sessionsOf(who.platform, name)) if (!others.has(id)) sessions.add(id);
  const messages = received.flatMap(({ message }) => message ?? []);
  return {
    chats,
    shared,
    sentTo: [...sentTo],
    sessions: await withKin([...sessions], { store, platform: who.platform }),
    received: received.map(({ id }) => id),
    owedKeys,
    media: await mediaOf(messages, home),
  };
}

/** Removes what was found. A chat that is being answered now is refused: what it writes would come after. */
export async function forget(who: Forgotten, found: Found, deps: ForgetDeps): Promise<{ readonly wasPaired: boolean }> {
  const { store, home, clock } = deps;
  await using held = new Scope();
  const owner = leaseOwner();
  for (const key of found.chats) {
    // Who serves the chat next sees that somebody else held it, and keeps nothing of it in memory.
    const lease = await takeLease({ ...deps, owner }, chatLease(key), () => undefined);
    if (lease.kind === "busy")
      throw new UserError("This chat is being answered at the moment.", {
        hint: "Try again when the answer is there, or after: hermes gateway stop",
      });
    held.adopt(lease);
  }
  await store.transaction(async (tx) => {
    for (const key of found.chats) {
      await tx.traces.removeChat(key);
      await forgetEnds(tx, key);
    }
    for (const chatId of found.sentTo) await tx.traces.removeSent(who.platform, chatId);
    for (const chatId of found.sentTo) await setVoiceMode(tx, { ...who, chatId }, "off");
    await tx.traces.removeReceived(found.received);
    await forgetAsks(tx, found.owedKeys);
    for (const id of found.sessions) await tx.sessions.delete(id);
  });
  await Promise.all(found.media.map((file) => rm(file, { force: true })));
  await rm(memoryFolder(home, `${who.platform}:${who.id}`), { recursive: true, force: true });
  await new ChannelDirectory({ home, store, clock }).forget(who.platform, who.id);
  return { wasPaired: await new Pairing(home.pairing, clock).forget(who.platform, who.id) };
}

type Whereabouts = { readonly [K in keyof MessageSource]?: MessageSource[K] | string | undefined };

function isOf<P extends Whereabouts>(where: P | undefined, id: string): where is P {
  const { chatId, chatIdAlt, userId, userIdAlt } = where ?? {};
  return [chatId, chatIdAlt, userId, userIdAlt].includes(id);
}

/** Whether the conversation is theirs alone: with them directly, the chat itself, or their own one in a group. */
function isWhole(key: string, where: Whereabouts, id: string): boolean {
  const { chatType, chatId, chatIdAlt, threadId, userId, userIdAlt } = where;
  if (chatType === "dm" || chatId === id || chatIdAlt === id) return true;
  return [userId, userIdAlt].some((own) => own !== undefined && own !== threadId && key.endsWith(`:${own}`));
}

/** With what the sessions continue and what continues them, as far as it belongs to the platform or is work they gave away. */
async function withKin(
  ids: readonly SessionId[],
  { store, platform }: { readonly store: Store; readonly platform: string },
): Promise<readonly SessionId[]> {
  const all = new Set<SessionId>();
  for (const id of ids)
    for (const one of [id, ...(await store.sessions.ancestors(id)), ...(await store.sessions.descendants(id))]) {
      const record = await store.sessions.get(one);
      // A chat may have gone on with a session of the terminal; that one is its owner's.
      if (record !== undefined && (record.source === platform || record.lineage === "delegation")) all.add(one);
    }
  return [...all];
}

async function mediaOf(messages: readonly InboundMessage[], home: HermesHome): Promise<readonly string[]> {
  const ids = messages.flatMap((message) => message.attachments.map((_, index) => mediaId(message, index)));
  if (ids.length === 0) return [];
  const files: string[] = [];
  for (const folder of Object.values(mediaFolders(home)))
    for (const name of await readdir(folder).catch(() => [])) {
      const id = /^(?:img|audio|video|doc)_([0-9a-f]{12})/u.exec(name)?.[1];
      if (id !== undefined && ids.includes(id)) files.push(path.join(folder, name));
    }
  return files;
}
