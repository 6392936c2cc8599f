import { readFile } from "node:fs/promises";
import type { Hono } from "hono";
import { systemErrorCode } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";
import type { DashboardDeps } from "../deps.ts";

const recentMs = 300_000;
const recentSessions = 20;

/** `GET /api/status`: what runs, and what ran last. */
export function statusRoutes(app: Hono, deps: DashboardDeps): void {
  const { store, clock, home, version, cwd } = deps;
  app.get("/api/status", async (c) => {
    const { signal } = c.req.raw;
    const [statistics, recent, gateway, inbox, outbox] = await Promise.all([
      store.reports.statistics({ signal }),
      store.sessions.list({ limit: recentSessions, excludeSources: ["subagent"], signal }),
      gatewayState(home.gatewayState),
      store.inbox.counts(),
      store.outbox.counts(),
    ]);
    const activeSinceMs = clock.now() - recentMs;
    return c.json({
      version,
      home: home.root,
      profile: home.profileName,
      cwd,
      sessions: statistics.sessions,
      messages: statistics.messages,
      active_sessions: recent.filter(({ lastActiveMs }) => lastActiveMs >= activeSinceMs).length,
      recent: recent.map(({ id, title, preview, source, lastActiveMs }) => ({
        id,
        title: title ?? preview,
        source,
        last_active_ms: lastActiveMs,
      })),
      gateway,
      inbox,
      outbox,
    });
  });
}

/** What the gateway wrote about itself; null where none ever ran. */
async function gatewayState(file: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const parsed = parseJson(await readFile(file, "utf8"));
    if (!parsed.ok || !isRecord(parsed.value)) return null;
    const { gateway_state: state, platforms, active_agents: active, updated_at: updated } = parsed.value;
    return {
      state: state ?? null,
      platforms: platforms ?? {},
      active_agents: active ?? 0,
      updated_at: updated ?? null,
    };
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}
