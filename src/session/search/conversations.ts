import { type Content, imagesOf, type SessionId, textOf } from "#conversation";
import { defined } from "#foundation/defined";
import type { Route, SessionRecord, SessionSummary, Store, StoredMessage } from "#store";
import { findSession, headOf, partsOf } from "./lineage.ts";
import { folderOf } from "./session-folder.ts";

/** A conversation as another program sees it. */
export interface ConversationFacts {
  /** Stays the same when compression cuts the conversation; a chat of a platform has the key of its route. */
  readonly key: string;
  /** Where the conversation goes on. */
  readonly sessionId: SessionId;
  readonly platform: string;
  readonly title: string | undefined;
  readonly preview: string;
  readonly model: string | undefined;
  readonly startedAtMs: number;
  readonly lastActiveMs: number;
  readonly endedAtMs: number | undefined;
  readonly messageCount: number;
  /** Where it was last worked on; undefined where that was not noted. */
  readonly folder: string | undefined;
}

/** Words of a person or of the model. */
export interface SpokenMessage {
  /** The conversation it belongs to. */
  readonly key: string;
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly atMs: number;
  readonly images: readonly string[];
}

export interface ChannelFacts {
  readonly key: string;
  readonly platform: string;
  readonly kind: string;
  readonly chatId: string | undefined;
  readonly threadId: string | undefined;
}

export interface ListOptions {
  readonly platform?: string | undefined;
  readonly search?: string | undefined;
  /** Only those last worked on in this folder. */
  readonly folder?: string | undefined;
  /** Only those that come after this one in the order of the list; none when it is not on the list. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** What may be read of all conversations of a home, whoever holds them. */
export interface Conversations {
  list(wanted: ListOptions, signal: AbortSignal): Promise<readonly ConversationFacts[]>;
  /** By key, session id, the beginning of one, or a title. */
  get(key: string): Promise<ConversationFacts | undefined>;
  /** The last words, oldest first; undefined when there is no such conversation. */
  messages(key: string, limit: number): Promise<readonly SpokenMessage[] | undefined>;
  channels(platform: string | undefined): Promise<readonly ChannelFacts[]>;
  /** Where reading on would begin now. */
  now(): Promise<number>;
  /** What was written after that place, by any program, and the place to go on from. */
  since(location: number): Promise<{ readonly location: number; readonly messages: readonly SpokenMessage[] }>;
}

const scannedSessions = 500;
const searchHits = 200;
const readAtOnce = 200;
/** What children and summaries say is not said to anybody. */
const hidden: ReadonlySet<string> = new Set(["subagent"]);

export function createConversations(store: Store): Conversations {
  const keys = new Map<SessionId, string | undefined>();
  return {
    list: (wanted, signal) => list(store, wanted, signal),
    async get(key) {
      const id = await resolve(store, key);
      const record = id === undefined ? undefined : await store.sessions.get(id);
      return record === undefined ? undefined : await factsOf(store, record);
    },
    async messages(key, limit) {
      const id = await resolve(store, key);
      if (id === undefined) return undefined;
      const name = await keyOf(store, id);
      const parts = await Promise.all((await partsOf(store, id)).map((part) => store.messages.list(part)));
      const seen = new Map(
        parts.flat().flatMap((one) => spoken(one, name).map((message) => [message.id, message] as const)),
      );
      return [...seen.values()].slice(-limit);
    },
    async channels(platform) {
      const routes = await store.routes.list(defined({ platform }));
      return routes.map(channelOf);
    },
    now: () => store.messages.newestRow(),
    async since(location) {
      const rows = await store.messages.after(location, { limit: readAtOnce });
      const messages: SpokenMessage[] = [];
      for (const row of rows) {
        if (!keys.has(row.sessionId)) keys.set(row.sessionId, await audibleKey(store, row.sessionId));
        const key = keys.get(row.sessionId);
        if (key !== undefined) messages.push(...spoken(row, key));
      }
      return { location: rows.at(-1)?.id ?? location, messages };
    },
  };
}

async function list(store: Store, wanted: ListOptions, signal: AbortSignal): Promise<readonly ConversationFacts[]> {
  const { platform, search, folder, after, limit } = wanted;
  const isWhole = search === undefined && folder === undefined && after === undefined;
  const all = await store.sessions.list({
    limit: isWhole ? limit : scannedSessions,
    excludeSources: [...hidden],
    source: platform,
    signal,
  });
  const found = search === undefined ? all : await matching(store, { all, search }, signal);
  const listed = await Promise.all(
    (isWhole ? found.slice(0, limit) : found).map((summary) => summarised(store, summary)),
  );
  const there = folder === undefined ? listed : listed.filter((one) => one.folder === folder);
  if (after === undefined) return there.slice(0, limit);
  const last = there.findIndex(({ key, sessionId }) => key === after || sessionId === after);
  return last < 0 ? [] : there.slice(last + 1, last + 1 + limit);
}

/** Those whose title or first words hold the text, and those where the words occur. */
async function matching(
  store: Store,
  { all, search }: { readonly all: readonly SessionSummary[]; readonly search: string },
  signal: AbortSignal,
): Promise<readonly SessionSummary[]> {
  const words = search.toLowerCase();
  const hits = await store.search.messages(search, { limit: searchHits, roles: ["user", "assistant"], signal });
  const roots = new Set(
    await Promise.all([...new Set(hits.map((hit) => hit.sessionId))].map((id) => headOf(store, id))),
  );
  return all.filter(
    ({ id, title, preview, lineageRootId }) =>
      roots.has(lineageRootId ?? id) || `${title ?? ""}\n${preview}`.toLowerCase().includes(words),
  );
}

async function summarised(store: Store, summary: SessionSummary): Promise<ConversationFacts> {
  const { id, source, title, preview, model, startedAtMs, lastActiveMs, endedAtMs, messageCount } = summary;
  const route = await store.routes.bySession(id);
  return {
    key: route?.sessionKey ?? summary.lineageRootId ?? id,
    sessionId: id,
    platform: route?.platform ?? source,
    title,
    preview,
    model,
    startedAtMs,
    lastActiveMs,
    endedAtMs,
    messageCount,
    folder: (await folderOf(store, summary.lineageRootId ?? id))?.folder,
  };
}

async function factsOf(store: Store, record: SessionRecord): Promise<ConversationFacts> {
  const { id, source, title, model, startedAtMs, endedAtMs, messageCount } = record;
  const [route, stored] = await Promise.all([store.routes.bySession(id), store.messages.list(id)]);
  const head = await headOf(store, id);
  const first = stored.find(({ message }) => message.role === "user");
  return {
    key: route?.sessionKey ?? head,
    sessionId: id,
    platform: route?.platform ?? source,
    title,
    preview: first === undefined ? "" : textOf(first.message.content).slice(0, 60),
    model,
    startedAtMs,
    lastActiveMs: stored.at(-1)?.timestampMs ?? startedAtMs,
    endedAtMs,
    messageCount,
    folder: (await folderOf(store, head))?.folder,
  };
}

async function resolve(store: Store, key: string): Promise<SessionId | undefined> {
  return (await store.routes.get(key))?.sessionId ?? (await findSession(store, key));
}

async function keyOf(store: Store, id: SessionId): Promise<string> {
  return (await store.routes.bySession(id))?.sessionKey ?? (await headOf(store, id));
}

async function audibleKey(store: Store, id: SessionId): Promise<string | undefined> {
  const record = await store.sessions.get(id);
  if (record === undefined || hidden.has(record.source) || record.lineage === "delegation") return undefined;
  return await keyOf(store, id);
}

function spoken({ id, message, timestampMs }: StoredMessage, key: string): readonly SpokenMessage[] {
  if (message.role === "tool") return [];
  const content: Content = message.content ?? "";
  const text = textOf(content);
  const images = imagesOf(content).map((part) => part.image_url.url);
  if (text.trim() === "" && images.length === 0) return [];
  return [{ key, id: message.uid ?? `row_${id}`, role: message.role, text, atMs: timestampMs, images }];
}

function channelOf({ sessionKey, platform, chatType, chatId, threadId }: Route): ChannelFacts {
  return { key: sessionKey, platform, kind: chatType, chatId, threadId };
}
