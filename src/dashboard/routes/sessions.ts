import type { Context, Hono } from "hono";
import type { SessionId } from "#conversation";
import { createConversations } from "#session";
import type { SessionRecord } from "#store";
import type { DashboardDeps } from "../deps.ts";
import { transcriptPage } from "../transcript.ts";

const usualCount = 200;
const mostCount = 2000;
const mostRelated = 300;

/** The stored conversations: listed, searched, read, deleted. */
export function sessionRoutes(app: Hono, { store, sessions }: DashboardDeps): void {
  const conversations = createConversations(store);
  const listed = async (c: Context) => {
    const search = c.req.query("q")?.trim();
    const wanted = { search: search === "" ? undefined : search, limit: countIn(c, "limit", 50) };
    const found = await conversations.list(wanted, c.req.raw.signal);
    return c.json({
      sessions: found.map(({ sessionId, title, preview, platform, model, ...facts }) => ({
        id: sessionId,
        title: title ?? preview,
        source: platform,
        model: model ?? null,
        started_at_ms: facts.startedAtMs,
        last_active_ms: facts.lastActiveMs,
        message_count: facts.messageCount,
      })),
    });
  };
  app.get("/api/sessions", listed);
  app.get("/api/sessions/search", listed);
  app.get("/api/sessions/:id", async (c) => {
    const record = await recordOf(c);
    if (record === undefined) return missing(c);
    const { usage } = record;
    return c.json({
      id: record.id,
      title: record.title ?? null,
      source: record.source,
      model: record.model ?? null,
      parent_id: record.parentSessionId ?? null,
      lineage: record.lineage ?? null,
      started_at_ms: record.startedAtMs,
      ended_at_ms: record.endedAtMs ?? null,
      message_count: record.messageCount,
      tool_call_count: record.toolCallCount,
      input_tokens: usage.input,
      output_tokens: usage.output,
      cost_usd: record.actualCostUsd ?? record.estimatedCostUsd ?? null,
    });
  });
  app.get("/api/sessions/:id/messages", async (c) => {
    const record = await recordOf(c);
    if (record === undefined) return missing(c);
    const messages = await store.messages.conversation(record.id);
    const before = countIn(c, "before", messages.length);
    return c.json(transcriptPage(messages, before, Math.min(countIn(c, "limit", usualCount), mostCount)));
  });
  app.get("/api/sessions/:id/lineage", async (c) => {
    const record = await recordOf(c);
    if (record === undefined) return missing(c);
    const root = await store.sessions.rootOf(record.id);
    const ids = [root, ...(await store.sessions.descendants(root))];
    const found = await Promise.all(ids.slice(0, mostRelated).map((id) => store.sessions.get(id)));
    return c.json({
      is_cut: ids.length > mostRelated,
      sessions: found.flatMap((one) => (one === undefined ? [] : [relative(one)])),
    });
  });
  app.delete("/api/sessions/:id", async (c) => {
    const record = await recordOf(c);
    if (record === undefined) return missing(c);
    return c.json({ deleted: await store.sessions.delete(record.id) });
  });
  app.get("/api/sessions/:id/export", async (c) => {
    const record = await recordOf(c);
    return record === undefined ? missing(c) : c.json(await store.sessions.export(record.id));
  });

  /** An id means that very part of a conversation; anything else is looked for, and means where it goes on. */
  async function recordOf(c: Context): Promise<SessionRecord | undefined> {
    const wanted = c.req.param("id") ?? "";
    const exact = await store.sessions.get(wanted as SessionId);
    if (exact !== undefined) return exact;
    const id = await sessions.find(wanted);
    return id === undefined ? undefined : await store.sessions.get(id);
  }
}

/** A session among those it comes from, and those that come from it. */
function relative({ id, title, parentSessionId, lineage, source, messageCount, startedAtMs }: SessionRecord) {
  return {
    ...{ id, title: title ?? null, parent_id: parentSessionId ?? null, kind: lineage ?? null, source },
    ...{ message_count: messageCount, started_at_ms: startedAtMs },
  };
}

const missing = (c: Context) => c.json({ error: "There is no such conversation." }, 404);

function countIn(c: Context, name: string, usual: number): number {
  const value = Number(c.req.query(name) ?? usual);
  return Number.isSafeInteger(value) && value >= 0 ? value : usual;
}
