import type { SessionId } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { SessionRecord, Store } from "#store";
import type { Tool, ToolContext, ToolResult } from "#tools";
import { type FoundConversation, findConversations, wholeConversation } from "./find-sessions.ts";
import { familyOf } from "./lineage.ts";
import { readMessages } from "./read-messages.ts";
import { summarizeMatch } from "./summarize-match.ts";
import { transcriptText } from "./transcript-text.ts";

export interface SessionSearchDeps {
  readonly store: Store;
  readonly logger: Logger;
  /** `auxiliary.session_search.max_concurrency`, 1 to 5. */
  readonly maxConcurrency?: number;
  readonly timeoutMs?: number;
}

const description =
  "Look into earlier conversations. Without arguments: the newest sessions. With `query`: conversations that match, each with a report on " +
  'what was asked, done and decided (words are joined by AND; "phrases", OR, NOT and prefix* work). With `message_ids`: those messages in ' +
  "full, for example ones that a summary of this conversation refers to. Use it when the user mentions earlier work or something you should already know.";

export function createSessionSearchTool(deps: SessionSearchDeps): Tool {
  return {
    name: "session_search",
    toolset: "session_search",
    emoji: "🔍",
    description,
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for; absent lists the newest sessions" },
        role_filter: {
          type: "string",
          description: "Only messages of these roles, comma-separated: user, assistant, tool",
        },
        limit: { type: "integer", description: "Conversations to report on, 1 to 5 (default 3)" },
        message_ids: { type: "array", items: { type: "string" }, description: "Read these messages in full instead" },
        session_id: {
          type: "string",
          description: "With message_ids: the session they are in, where it is not this one",
        },
      },
    },
    concurrency: "safe",
    isReadOnly: true,
    isIdempotent: true,
    async execute(args, context) {
      const ids = idsIn(args["message_ids"]);
      if (ids.length > 0) return await read(deps, { ids, sessionId: args["session_id"] }, context);
      const query = typeof args["query"] === "string" ? args["query"].trim() : "";
      const limit = limitOf(args["limit"]);
      if (query === "") return { content: await recent(deps, limit, context) };
      return { content: await search(deps, { query, roles: rolesOf(args["role_filter"]), limit }, context) };
    },
  };
}

async function read(
  deps: SessionSearchDeps,
  wish: { readonly ids: readonly string[]; readonly sessionId: unknown },
  context: ToolContext,
): Promise<ToolResult> {
  const given = typeof wish.sessionId === "string" && wish.sessionId !== "" ? wish.sessionId : context.sessionId;
  const sessionId = await deps.store.sessions.resolveId(given);
  if (sessionId === undefined) return { content: { error: `There is no session ${given}.` }, isError: true };
  const wanted = { ids: wish.ids, sessionId, mayRead: (one: SessionRecord) => mayRead(one, context) };
  return { content: await readMessages(deps.store, wanted) };
}

async function recent(deps: SessionSearchDeps, limit: number, context: ToolContext): Promise<Record<string, unknown>> {
  const { store } = deps;
  const own = await currentFamily(store, context);
  const listed = await store.sessions.list({
    limit: limit + 20,
    excludeSources: ["tool"],
    excludeIds: own,
    signal: context.signal,
  });
  const results: Record<string, unknown>[] = [];
  for (const one of listed) {
    if (results.length >= limit) break;
    if (context.scope.userId !== undefined) {
      const session = await store.sessions.get(one.id);
      if (session === undefined || !mayRead(session, context)) continue;
    }
    results.push({
      session_id: one.id,
      title: one.title ?? null,
      source: one.source,
      started_at: new Date(one.startedAtMs).toISOString(),
      last_active: new Date(one.lastActiveMs).toISOString(),
      message_count: one.messageCount,
      preview: one.preview,
    });
  }
  const message =
    results.length === 0
      ? "There are no other sessions."
      : "The newest sessions. Give a query to search what was said in them.";
  return { success: true, mode: "recent", results, count: results.length, message };
}

async function search(
  deps: SessionSearchDeps,
  wish: { readonly query: string; readonly roles: readonly string[]; readonly limit: number },
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const { store } = deps;
  const [currentRootId] = await currentFamily(store, context);
  const { found, searched } = await findConversations(
    store,
    { ...wish, currentRootId, mayRead: (session) => mayRead(session, context) },
    context.signal,
  );
  using limit = deadline(deps.timeoutMs ?? 60_000);
  const signal = linkSignals(context.signal, limit.signal);
  const results = await eachBounded(found, clamp(deps.maxConcurrency ?? 3, 1, 5), (one) =>
    report(deps, { found: one, query: wish.query }, { ...context, signal }),
  );
  context.signal.throwIfAborted();
  return { success: true, query: wish.query, results, count: results.length, sessions_searched: searched };
}

async function report(
  deps: SessionSearchDeps,
  { found, query }: { readonly found: FoundConversation; readonly query: string },
  { scope, signal }: ToolContext,
): Promise<Record<string, unknown>> {
  const text = transcriptText(await wholeConversation(deps.store, found));
  const { session } = found;
  return {
    session_id: session.id,
    when: new Date(session.startedAtMs).toISOString(),
    source: session.source,
    model: session.model ?? null,
    summary: await summarizeMatch({ auxiliary: scope.auxiliary, logger: deps.logger }, { text, query }, signal),
    matches: found.hits.slice(0, 3).map((hit) => ({ message_id: hit.uid, snippet: hit.snippet })),
  };
}

/** Everything in order, at most so many at once. */
async function eachBounded<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results.set(index, await work(item));
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return [...results.entries()].sort(([left], [right]) => left - right).map(([, value]) => value);
}

/** The sessions of the conversation that asks, its root first; none when it is not stored yet. */
async function currentFamily(store: Store, context: ToolContext): Promise<readonly SessionId[]> {
  const current = await store.sessions.get(context.sessionId as SessionId);
  return current === undefined ? [] : await familyOf(store, current.id);
}

/** People see their own sessions; the owner of the home sees all. */
function mayRead(session: SessionRecord, { scope }: ToolContext): boolean {
  return scope.userId === undefined || session.userId === scope.userId;
}

function limitOf(value: unknown): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? clamp(Math.trunc(number), 1, 5) : 3;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function rolesOf(value: unknown): readonly string[] {
  if (typeof value !== "string") return [];
  return value
    .split(",")
    .map((role) => role.trim().toLowerCase())
    .filter((role) => role !== "");
}

function idsIn(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [];
  return list.map((id) => String(id).trim()).filter((id) => id !== "");
}
