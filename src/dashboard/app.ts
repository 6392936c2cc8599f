import type { Context, Hono } from "hono";
import { describe, UserError } from "#foundation/errors";
import type { Guard, Verdict } from "./access/guard.ts";
import type { Login } from "./access/login.ts";
import type { Returns } from "./access/returns.ts";
import type { DashboardDeps } from "./deps.ts";
import { type PageFile, prepared, safetyHeaders } from "./page-files.ts";
import { isTabPath, PluginTabs, tabHeaders } from "./plugin-tabs.ts";
import { abilityRoutes } from "./routes/abilities.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { imageRoutes } from "./routes/images.ts";
import { insightRoutes } from "./routes/insights.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { loginRoutes } from "./routes/login.ts";
import { logRoutes } from "./routes/logs.ts";
import { memoryRoutes } from "./routes/memory.ts";
import { returnRoutes } from "./routes/returns.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { settingRoutes } from "./routes/settings.ts";
import { statusRoutes } from "./routes/status.ts";
import { tabRoutes } from "./routes/tabs.ts";

export interface AppOptions {
  readonly deps: DashboardDeps;
  readonly guard: Guard;
  readonly returns: Returns;
  /** Where a password lets in. */
  readonly login: Login | undefined;
  /** Of this start. */
  readonly token: string;
  readonly files: ReadonlyMap<string, PageFile>;
}

const mostBodyBytes = 1_048_576;
const everyRoute = [
  statusRoutes,
  sessionRoutes,
  imageRoutes,
  insightRoutes,
  memoryRoutes,
  abilityRoutes,
  approvalRoutes,
  jobRoutes,
  settingRoutes,
  keyRoutes,
  logRoutes,
];

/** The routes, and what stands before all of them: host, origin, token. */
export async function createApp({ deps, guard, returns, login, token, files }: AppOptions): Promise<Hono> {
  const { Hono } = await import("hono");
  const app = new Hono();
  app.use("*", async (c, next) => {
    const isCall = c.req.path.startsWith("/api/");
    const verdict = isCall ? judgeCall(c, guard) : guard.judgePage(callerOf(c));
    if (verdict.kind === "refused") c.res = c.json({ error: verdict.reason }, verdict.status);
    else await next();
    const headers = isTabPath(c.req.path) ? tabHeaders : safetyHeaders;
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    c.res.headers.set("cache-control", isCall ? "no-store" : "no-cache");
  });
  app.use("/api/*", async (c, next) => {
    // What is sent without its length cannot be held to one.
    if (c.req.header("transfer-encoding") !== undefined) return c.json({ error: "Say how long the body is." }, 411);
    if (Number(c.req.header("content-length") ?? 0) > mostBodyBytes)
      return c.json({ error: "This is too much at once." }, 413);
    await next();
    return undefined;
  });
  for (const routes of everyRoute) routes(app, deps);
  tabRoutes(app, new PluginTabs(deps.tabs));
  returnRoutes(app, { returns, token });
  loginRoutes(app, { login, token });
  app.get("*", async (c) => {
    const found = files.get(c.req.path);
    if (found === undefined) return c.json({ error: "There is nothing here." }, 404);
    const { type, bytes } = found.type.startsWith("text/html")
      ? prepared(found, { theme: await themeOf(deps), login: login === undefined ? "address" : "password" })
      : found;
    return c.body(bytes, 200, { "content-type": type });
  });
  app.notFound((c) => c.json({ error: "There is nothing here." }, 404));
  app.onError((error, c) => {
    if (error instanceof UserError) return c.json({ error: error.message, hint: error.hint, code: error.code }, 422);
    deps.logger.error("a request of the dashboard failed", { error: describe(error) });
    return c.json({ error: "Unexpected error; see the log." }, 500);
  });
  return app;
}

async function themeOf({ loadSettings }: Pick<DashboardDeps, "loadSettings">): Promise<string> {
  return (await loadSettings()).config.dashboard.theme;
}

const beforeTheToken: ReadonlySet<string> = new Set(["/api/return/hello", "/api/return/proof", "/api/login"]);

function judgeCall(c: Context, guard: Guard): Verdict {
  return beforeTheToken.has(c.req.path) ? guard.judgeReturn(callerOf(c)) : guard.judgeCall(callerOf(c));
}

function callerOf(c: Context) {
  const [, token] = /^Bearer (\S+)$/.exec(c.req.header("authorization") ?? "") ?? [];
  return {
    host: c.req.header("host"),
    origin: c.req.header("origin"),
    fetchSite: c.req.header("sec-fetch-site"),
    token,
  };
}
