import type { Hono } from "hono";
import { formatLogLine } from "#foundation/files/log-text";
import { isRecord, parseJson } from "#foundation/text/json";
import type { DashboardDeps } from "../deps.ts";
import { endOfFile } from "../file-end.ts";

const levels = ["debug", "info", "warn", "error"];

/** `GET /api/logs?file=&level=&component=&q=&lines=`: the end of a log file as people read it, without what is secret. */
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
    const component = c.req.query("component") ?? "";
    const asked = Number(c.req.query("lines"));
    const most = Number.isSafeInteger(asked) && asked > 0 && asked <= 5000 ? asked : 300;
    const all = (await endOfFile(file)).split("\n").filter((line) => line !== "");
    const facts = all.map((line) => ({ line, ...factsOf(line) }));
    const found = facts
      .filter(({ line }) => line.toLowerCase().includes(words))
      .filter(({ level }) => least <= 0 || level >= least)
      .filter((one) => component === "" || one.component === component);
    return c.json({
      components: [...new Set(facts.map((one) => one.component))].sort(),
      lines: found.slice(-most).map(({ line }) => redact(formatLogLine(line))),
    });
  });
}

interface LineFacts {
  readonly level: number;
  /** The part of the program that wrote it. */
  readonly component: string;
}

/** What says no level is shown with every one. */
function factsOf(line: string): LineFacts {
  const parsed = parseJson(line);
  const { level, component } = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
  const found = typeof level === "string" ? levels.indexOf(level) : -1;
  return {
    level: found === -1 ? levels.length : found,
    component: typeof component === "string" ? component : "hermes",
  };
}
