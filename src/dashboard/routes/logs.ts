import type { Hono } from "hono";
import { formatLogLine } from "#foundation/files/log-text";
import { isRecord, parseJson } from "#foundation/text/json";
import type { DashboardDeps } from "../deps.ts";
import { endOfFile } from "../file-end.ts";

const levels = ["debug", "info", "warn", "error"];

/** `GET /api/logs?file=&level=&q=&lines=`: the end of a log file as people read it, without what is secret. */
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
    const least = levels.indexOf(c.req.query("level") ?? "");
    const asked = Number(c.req.query("lines"));
    const most = Number.isSafeInteger(asked) && asked > 0 && asked <= 5000 ? asked : 300;
    const lines = (await endOfFile(file))
      .split("\n")
      .filter((line) => line !== "" && line.toLowerCase().includes(words))
      .filter((line) => least <= 0 || levelOf(line) >= least);
    return c.json({ lines: lines.slice(-most).map((line) => redact(formatLogLine(line))) });
  });
}

/** What says no level is shown with every one. */
function levelOf(line: string): number {
  const parsed = parseJson(line);
  const level = parsed.ok && isRecord(parsed.value) ? parsed.value["level"] : undefined;
  const found = typeof level === "string" ? levels.indexOf(level) : -1;
  return found === -1 ? levels.length : found;
}
