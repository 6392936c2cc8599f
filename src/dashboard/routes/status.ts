import type { Hono } from "hono";
import type { DashboardDeps } from "../deps.ts";
import type { GatewayProcess } from "../gateway-facts.ts";
import { runningProcesses } from "../running-processes.ts";

const recentMs = 300_000;
const recentSessions = 20;

/** `GET /api/status`: what runs, and what ran last. */
export function statusRoutes(app: Hono, deps: DashboardDeps): void {
  const { store, clock, home, version, cwd, sessions, redact } = deps;
  app.get("/api/status", async (c) => {
    const { signal } = c.req.raw;
    const [statistics, recent, gateway, inbox, outbox, processes] = await Promise.all([
      store.reports.statistics({ signal }),
      store.sessions.list({ limit: recentSessions, excludeSources: ["subagent"], signal }),
      deps.gateway(),
      store.inbox.counts(),
      store.outbox.counts(),
      runningProcesses(home.processes),
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
      gateway: gateway.map(gatewayView),
      running: sessions
        .live()
        .filter(({ info }) => info.isBusy)
        .map(({ info: { id, title, source, model } }) => ({ id, title: title ?? null, source, model })),
      processes: processes.map((one) => ({ ...one, command: redact(one.command) })),
      inbox,
      outbox,
    });
  });
}

const gatewayView = ({ pid, state, roles, runningTurns, platforms }: GatewayProcess) => ({
  pid,
  state,
  roles,
  running_turns: runningTurns,
  platforms: platforms.map(({ id, state: now, problem }) => ({ id, state: now, problem: problem ?? null })),
});
