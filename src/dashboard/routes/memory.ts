import type { Hono } from "hono";
import type { DashboardDeps } from "../deps.ts";

/** The notes of the home, and the changes that wait for the person. */
export function memoryRoutes(app: Hono, { memory }: DashboardDeps): void {
  app.get("/api/memory", async (c) => {
    const [files, pending] = await Promise.all([memory.files(), memory.pending()]);
    return c.json({
      files: files.map(({ name, isEnabled, entries, usedCharacters, limitCharacters }) => ({
        name,
        is_enabled: isEnabled,
        entries,
        used: usedCharacters,
        limit: limitCharacters,
      })),
      pending: pending.map(({ id, atMs, target, source, sessionId, removed, added }) => ({
        id,
        at_ms: atMs,
        target,
        source,
        session_id: sessionId === "" ? null : sessionId,
        removed: removed ?? null,
        added: added ?? null,
      })),
    });
  });
  app.post("/api/memory/pending/:id/confirm", async (c) => {
    await memory.confirm(c.req.param("id"), c.req.raw.signal);
    return c.json({ outcome: "confirmed" });
  });
  app.post("/api/memory/pending/:id/reject", async (c) => {
    await memory.reject(c.req.param("id"), c.req.raw.signal);
    return c.json({ outcome: "rejected" });
  });
}
