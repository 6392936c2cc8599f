import type { SessionId } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { SessionRecord, Store } from "#store";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "#tools";
import { type FoundConversation, findConversations, wholeConversation } from "./find-sessions.ts";
import { familyOf } from "./lineage.ts";
import { readMessages } from "./read-messages.ts";
import { summarizeMatch } from "./summarize-match.ts";
import { transcriptText } from "./transcript-text.ts";

export interface SessionSearchDeps {
  readonly store: Store;
  readonly logger: Logger;
  /** People see the sessions of everybody, not only their own. */
  readonly seesAll?: boolean;
}

/** For the reports on all that was found; those that come later are left out. */
const reportsLimitMs = 60_000;

const description =
  "Look into earlier conversations. Without arguments: the newest sessions. With `query`: conversations that match, each with a report on " +
  'what was asked, done and decided (words are joined by AND; "phrases", OR, NOT and prefix* work). With `message_ids`: those messages in ' +
  "full, for example ones that a summary of this conversation refers to. Use it when the user mentions earlier work or something you should already know.";

export function createSessionSearchTool(deps: SessionSearchDeps): Tool {
  return defineTool({
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
    effects: "none",
    isHousekeeping: true,
    guidance:
      "When the user speaks of something from an earlier conversation, or older context may matter, look it up with session_search before you ask them to repeat it.",
    async run({ query: words = "", role_filter = "", limit: most = 3, message_ids = [], session_id }, context) {
      const ids = namesIn(message_ids);
      if (ids.length > 0) return await read(deps, { ids, sessionId: session_id || context.sessionId }, context);
      const query = words.trim();
      const limit = clamp(most, 1, 5);
      if (query === "") return { content: await recent(deps, limit, context) };
      const roles = namesIn([role_filter]).map((role) => role.toLowerCase());
      return { content: await search(deps, { query, roles, limit }, context) };
    },
  });
}

async function read(
  deps: SessionSearchDeps,
  wanted: { readonly ids: readonly string[]; readonly sessionId: string },
  context: ToolContext,
): Promise<ToolResult> {
  const { ids, sessionId: named } = wanted;
  const sessionId = await deps.store.sessions.resolveId(named);
  if (sessionId === undefined) return { content: { error: `There is no session ${named}.` }, isError: true };
  const span = { ids, sessionId, mayRead: (one: SessionRecord) => mayRead(deps, one, context) };
  return { content: await readMessages(deps.store, span) };
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
      if (session === undefined || !mayRead(deps, session, context)) continue;
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
  wanted: { readonly query: string; readonly roles: readonly string[]; readonly limit: number },
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const { store } = deps;
  const [currentRootId] = await currentFamily(store, context);
  const { found, searched } = await findConversations(
    store,
    { ...wanted, currentRootId, mayRead: (session) => mayRead(deps, session, context) },
    context.signal,
  );
  using limit = deadline(reportsLimitMs);
  const signal = linkSignals(context.signal, limit.signal);
  // How many are made at once is the business of side calls (`auxiliary.session_search.max_concurrency`).
  const results = await Promise.all(
    found.map((one) => report(deps, { found: one, query: wanted.query }, { ...context, signal })),
  );
  context.signal.throwIfAborted();
  return { success: true, query: wanted.query, results, count: results.length, sessions_searched: searched };
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

/** The sessions of the conversation that asks, its root first; none when it is not stored yet. */
async function currentFamily(store: Store, context: ToolContext): Promise<readonly SessionId[]> {
  const current = await store.sessions.get(context.sessionId as SessionId);
  return current === undefined ? [] : await familyOf(store, current.id);
}

/** People see their own sessions, unless all may be seen; the owner of the home sees all. */
function mayRead({ seesAll }: SessionSearchDeps, session: SessionRecord, { scope }: ToolContext): boolean {
  return seesAll === true || scope.userId === undefined || session.userId === scope.userId;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** Some models write a list as one text with commas. */
function namesIn(list: readonly string[]): readonly string[] {
  return list
    .flatMap((text) => text.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
