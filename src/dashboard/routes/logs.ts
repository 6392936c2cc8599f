import type { Hono } from "hono";
import type { DashboardDeps } from "../deps.ts";
import { endOfFile } from "../file-end.ts";

/** `GET /api/logs?file=&q=&lines=`: the end of a log file, without what is secret. */
export function logRoutes(app: Hono, { home, redact }: DashboardDeps): void {
  const files: Readonly<Record<string, string>> = {
    agent: home.agentLog,
    errors: home.errorsLog,
    gateway: home.gatewayLog,
  };
  app.get("/api/logs", async (c) => {
    const name = c.req.query("file") ?? "agent";
    const file = Object.hasOwn(files, name) ? files[name] : undefined;
    if (file === undefined) return c.json({ error: `There is no log "${name.slice(0, 50)}".` }, 404);
    const words = (c.req.query("q") ?? "").toLowerCase();
    const asked = Number(c.req.query("lines"));
    const most = Number.isSafeInteger(asked) && asked > 0 && asked <= 5000 ? asked : 300;
    const lines = (await endOfFile(file))
      .split("\n")
      .filter((line) => line !== "" && line.toLowerCase().includes(words));
    return c.json({ lines: lines.slice(-most).map((line) => redact(line)) });
  });
}
