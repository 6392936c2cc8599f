import type { Hono } from "hono";
import { describe } from "#foundation/errors";
import { isLoopback } from "#foundation/http/local-host";
import type { ApiContext } from "./api-context.ts";
import { ApiError } from "./api-error.ts";
import { type Caller, demandScope } from "./callers.ts";
import { metrics } from "./metrics/metrics.ts";
import { chatCompletions } from "./routes/chat.ts";
import { homeAssistantConversation } from "./routes/home-assistant.ts";
import { type RunDecision, runInput, sessionInput } from "./routes/inputs.ts";
import { jobRoute } from "./routes/jobs.ts";
import { createResponse, deleteResponse, getResponse } from "./routes/responses.ts";
import { runEvents, showRun, startRun, stopRun } from "./routes/runs.ts";
import { Runs } from "./runs.ts";
import type { Scope } from "./settings.ts";

type Handle = (request: Request, caller: Caller, param: (name: string) => string) => Promise<Response> | Response;

/** The routes, and what stands before all of them: host, origin, key, pace, scope. */
export async function createApp(context: ApiContext, signal: AbortSignal): Promise<Hono> {
  const { Hono } = await import("hono");
  const app = new Hono();
  const { callers } = context;
  app.use("*", async (c, next) => {
    const request = c.req.raw;
    const refusal = refusalBefore(request, context) ?? preflight(request, context);
    if (refusal !== undefined) c.res = refusal;
    else await next();
    for (const [name, value] of Object.entries(headersFor(request, context))) c.res.headers.set(name, value);
  });
  const health = () => Response.json({ status: "ok", platform: "hermes-agent" });
  app.get("/health", health);
  app.get("/v1/health", health);
  app.get("/ready", () => readiness(context));
  const route = (methods: readonly string[], path: string, [scope, handle]: readonly [Scope, Handle]) =>
    app.on([...methods], path, async (c) => {
      const caller = callers.identify(c.req.header("authorization") ?? null);
      callers.count(caller);
      demandScope(caller, scope);
      return await handle(c.req.raw, caller, (name) => c.req.param(name) ?? "");
    });
  const runs = { context, runs: new Runs(context.clock), signal };
  route(["GET"], "/health/detailed", ["admin", async () => Response.json(await context.status())]);
  route(["GET"], "/metrics", ["admin", () => metrics(context)]);
  route(["GET"], "/v1/models", ["chat", () => Response.json(modelList(context))]);
  route(["GET"], "/v1/models/:id{.+}", ["chat", (_request, _caller, param) => oneModel(param("id"), context)]);
  route(["POST"], "/v1/chat/completions", ["chat", (request, caller) => chatCompletions(request, caller, context)]);
  route(["POST"], "/v1/sessions/:id/inputs", [
    "approvals",
    (request, caller, param) => sessionInput(request, { name: param("id"), caller }, context),
  ]);
  route(["POST"], "/v1/responses", ["chat", (request, caller) => createResponse(request, caller, context)]);
  route(["GET"], "/v1/responses/:id", ["chat", (_request, caller, param) => getResponse(param("id"), caller, context)]);
  route(["DELETE"], "/v1/responses/:id", ["chat", (_r, caller, param) => deleteResponse(param("id"), caller, context)]);
  route(["POST"], "/v1/runs", ["runs", (request, caller) => startRun(request, caller, runs)]);
  route(["GET"], "/v1/runs/:id", ["runs", (_request, caller, param) => showRun(param("id"), caller, runs)]);
  route(["POST"], "/v1/runs/:id/stop", ["runs", (_request, caller, param) => stopRun(param("id"), caller, runs)]);
  route(["GET"], "/v1/runs/:id/events", [
    "runs",
    (request, caller, param) => runEvents(request, { id: param("id"), caller }, runs),
  ]);
  const decide =
    (kind: RunDecision["kind"]): Handle =>
    (request, caller, param) =>
      runInput(request, { kind, runId: param("id"), requestId: param("request"), caller }, runs);
  route(["POST"], "/v1/runs/:id/approvals/:request", ["approvals", decide("approval")]);
  route(["POST"], "/v1/runs/:id/clarify/:request", ["approvals", decide("question")]);
  const jobs =
    (names: { readonly id?: string; readonly action?: string }): Handle =>
    (request, caller, param) =>
      jobRoute(
        request,
        {
          id: names.id === undefined ? undefined : param("id"),
          action: names.action === undefined ? undefined : param("action"),
        },
        { caller, context },
      );
  route(["GET", "POST"], "/api/jobs", ["jobs", jobs({})]);
  route(["GET", "PATCH", "DELETE"], "/api/jobs/:id", ["jobs", jobs({ id: "id" })]);
  route(["POST"], "/api/jobs/:id/:action", ["jobs", jobs({ id: "id", action: "action" })]);
  route(["POST"], "/api/homeassistant/conversation", [
    "chat",
    (request, caller) => homeAssistantConversation(request, caller, { context, signal }),
  ]);
  app.notFound((c) => {
    // What there is, is nobody's business without a key.
    callers.identify(c.req.header("authorization") ?? null);
    return new ApiError(404, `There is no ${c.req.method} ${c.req.path.slice(0, 200)}.`, {
      code: "not_found",
    }).response();
  });
  app.onError((error) => {
    if (error instanceof ApiError) return error.response();
    context.logger.error("an API request failed", { error: describe(error) });
    return new ApiError(500, "Internal error.", { code: "internal_error" }).response();
  });
  return app;
}

/** A page may reach this machine by a name of its own; and pages that are not allowed are told nothing. */
function refusalBefore(request: Request, { settings }: ApiContext): Response | undefined {
  const name = new URL(request.url).hostname;
  const isOurs = isLoopback(name) || name === settings.host || settings.keys.length > 0;
  if (!isOurs) return new ApiError(403, "This host name is not served.", { code: "host_not_allowed" }).response();
  const origin = request.headers.get("origin");
  if (origin === null || isAllowed(origin, settings.origins)) return undefined;
  return new ApiError(403, "This origin is not allowed.", { code: "origin_not_allowed" }).response();
}

function isAllowed(origin: string, origins: readonly string[]): boolean {
  return origins.includes("*") || origins.includes(origin);
}

function preflight(request: Request, _context: ApiContext): Response | undefined {
  if (request.method !== "OPTIONS" || request.headers.get("origin") === null) return undefined;
  return new Response(null, { status: 200 });
}

function headersFor(request: Request, { settings }: ApiContext): Readonly<Record<string, string>> {
  const always = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };
  const origin = request.headers.get("origin");
  if (origin === null || !isAllowed(origin, settings.origins)) return always;
  return {
    ...always,
    "access-control-allow-origin": settings.origins.includes("*") ? "*" : origin,
    "access-control-allow-methods": "GET, POST, PATCH, DELETE, OPTIONS",
    "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, X-Hermes-Session-Id",
    "access-control-expose-headers": "X-Hermes-Session-Id",
    "access-control-max-age": "600",
    vary: "Origin",
  };
}

async function readiness({ store, logger }: ApiContext): Promise<Response> {
  try {
    await store.meta.get("ready");
    return Response.json({ status: "ready" });
  } catch (error) {
    logger.error("the store does not answer", { error: describe(error) });
    return Response.json({ status: "unavailable" }, { status: 503 });
  }
}

function modelOf(id: string, { clock }: ApiContext) {
  const created = Math.floor(clock.now() / 1000);
  return { id, object: "model", created, owned_by: "hermes", permission: [], root: id, parent: null };
}

function modelList(context: ApiContext) {
  const { modelName, modelRoutes } = context.settings;
  const names = [...new Set([modelName, ...Object.keys(modelRoutes)])];
  return { object: "list", data: names.map((id) => modelOf(id, context)) };
}

function oneModel(id: string, context: ApiContext): Response {
  if (modelList(context).data.some((model) => model.id === id)) return Response.json(modelOf(id, context));
  throw new ApiError(404, `There is no model ${id.slice(0, 100)}.`, { code: "model_not_found" });
}
