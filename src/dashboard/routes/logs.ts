import { open } from "node:fs/promises";
import type { Hono } from "hono";
import { systemErrorCode } from "#foundation/errors";
import type { DashboardDeps } from "../deps.ts";

const mostBytes = 1_048_576;

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
    const lines = (await endOf(file)).split("\n").filter((line) => line !== "" && line.toLowerCase().includes(words));
    return c.json({ lines: lines.slice(-most).map((line) => redact(line)) });
  });
}

async function endOf(file: string): Promise<string> {
  try {
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    const start = Math.max(0, size - mostBytes);
    const bytes = Buffer.alloc(size - start);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    const text = bytes.subarray(0, bytesRead).toString("utf8");
    return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return "";
    throw error;
  }
}
