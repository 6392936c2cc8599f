import { randomBytes } from "node:crypto";
import type { SessionEvent } from "#session";
import type { ApiContext } from "../api-context.ts";
import { ApiError } from "../api-error.ts";
import { type Caller, demandScope } from "../callers.ts";
import { fingerprint, optionalFlag, optionalText, readBody } from "../request/body.ts";
import { readMessages } from "../request/conversation.ts";
import type { Run, Runs } from "../runs.ts";
import { modelFor } from "../settings.ts";
import { type SseWriter, sseResponse } from "../streams/sse.ts";
import type { TurnRequest } from "../turns.ts";
import { responseUsage } from "../usage.ts";
import { answered } from "./chat.ts";
import { earlierOf } from "./responses.ts";

export interface RunRoutes {
  readonly context: ApiContext;
  readonly runs: Runs;
  /** Ends with the server; runs end with it. */
  readonly signal: AbortSignal;
}

const graceMs = 1000;
const stopMs = 5000;

/** `POST /v1/runs`. */
export async function startRun(request: Request, caller: Caller, routes: RunRoutes): Promise<Response> {
  const { context } = routes;
  const body = await readBody(request);
  const { input } = body;
  const spoken = readMessages(typeof input === "string" ? [{ role: "user", content: input }] : input, "input");
  const earlier = await earlierOf(body, caller, context);
  const sessionId = optionalText(body, "session_id", 200);
  if (sessionId !== undefined && context.settings.keys.length === 0)
    throw new ApiError(403, "Naming a session needs a configured API key.", { code: "session_needs_key" });
  const instructions = optionalText(body, "instructions") ?? earlier.instructions ?? "";
  const asks = optionalFlag(body, "asks") === true;
  if (asks) demandScope(caller, "approvals");
  const turn: TurnRequest = {
    caller,
    asks,
    system: [instructions, spoken.system].filter((text) => text !== "").join("\n\n"),
    history: [...earlier.messages, ...spoken.history],
    input: spoken.input,
    named: sessionId === undefined ? undefined : { id: sessionId, resumes: true },
    model: modelFor(context.settings, optionalText(body, "model", 200) ?? ""),
  };
  const print = fingerprint(body, ["input", "instructions", "session_id", "previous_response_id", "model", "asks"]);
  const key = request.headers.get("idempotency-key");
  const { status, body: answer } = await context.idempotency.once({ caller, key, fingerprint: print }, () => {
    const run = routes.runs.begin(`run_${randomBytes(16).toString("hex")}`, caller);
    if (run === undefined)
      throw new ApiError(429, "Too many runs at the same time.", { code: "rate_limit_exceeded", retryAfterSeconds: 5 });
    void carryOut(run, turn, routes);
    return Promise.resolve({ status: 202, body: { run_id: run.id, status: "started" }, headers: {} });
  });
  return Response.json(answer, { status });
}

/** Runs the turn and tells what happens; never rejects. */
async function carryOut(run: Run, turn: TurnRequest, { context, runs, signal }: RunRoutes): Promise<void> {
  try {
    await using running = await context.turns.start(
      turn,
      (event) => {
        relay(run, event, runs);
        relayAsk(run, event, { runs, context });
      },
      signal,
    );
    run.turn = running;
    if (run.isStopping) running.interrupt();
    const ended = await running.ended;
    if (run.isStopping || signal.aborted) {
      runs.tell(run, "run.cancelled");
      runs.end(run, "cancelled");
      return;
    }
    const result = answered(ended, context);
    run.output = result.text ?? "";
    run.usage = responseUsage(result);
    runs.tell(run, "run.completed", { output: run.output, usage: run.usage });
    runs.end(run, "completed");
  } catch (error) {
    if (!(error instanceof ApiError)) context.logger.error("a run failed", { error: String(error) });
    run.error = error instanceof ApiError ? error.message : "Internal error.";
    runs.tell(run, "run.failed", { error: run.error });
    runs.end(run, "failed");
  }
}

function relay(run: Run, event: SessionEvent, runs: Runs): void {
  if (event.type === "text-delta") runs.tell(run, "message.delta", { delta: event.text });
  else if (event.type === "tool-start") runs.tell(run, "tool.started", { tool: event.name, preview: event.preview });
  else if (event.type === "tool-end")
    runs.tell(run, "tool.completed", {
      tool: event.name,
      duration: Math.round(event.durationMs) / 1000,
      error: event.isError,
    });
  else if (
    event.type === "message-end" &&
    typeof event.message.reasoning === "string" &&
    event.message.reasoning !== ""
  )
    runs.tell(run, "reasoning.available", { text: event.message.reasoning });
}

/** What a person is to decide, and until when. */
function relayAsk(run: Run, event: SessionEvent, { runs, context }: Pick<RunRoutes, "runs" | "context">): void {
  const { clock, settings } = context;
  const until = (ms: number): number => (clock.now() + ms) / 1000;
  if (event.type === "approval-request") {
    const { id, tool, summary: command, reasons, choices } = event;
    run.asked.set(id, { kind: "approval", choices });
    const facts = { request_id: id, tool, command, reasons, choices };
    runs.tell(run, "approval.requested", { ...facts, expires_at: until(settings.answerMs.approval) });
  } else if (event.type === "question-request") {
    const { id, question, choices } = event;
    run.asked.set(id, { kind: "question", choices });
    const facts = { request_id: id, question, choices };
    runs.tell(run, "clarify.requested", { ...facts, expires_at: until(settings.answerMs.question) });
  } else if (event.type === "approval-response" || event.type === "question-response") run.asked.delete(event.id);
}

/** `GET /v1/runs/{id}`. */
export async function showRun(id: string, caller: Caller, routes: RunRoutes): Promise<Response> {
  const { status, output, usage, error } = await runOf(id, caller, routes);
  return Response.json({ run_id: id, status, output: output ?? null, usage: usage ?? null, error: error ?? null });
}

/** `POST /v1/runs/{id}/stop`. */
export async function stopRun(id: string, caller: Caller, routes: RunRoutes): Promise<Response> {
  const run = await runOf(id, caller, routes);
  run.isStopping = run.status === "running";
  run.turn?.interrupt();
  const untilMs = routes.context.clock.now() + stopMs;
  while (run.status === "running" && routes.context.clock.now() < untilMs)
    await routes.context.clock.sleep(20, routes.signal);
  return Response.json({ run_id: id, status: "stopping" });
}

/** `GET /v1/runs/{id}/events`: everything from the beginning, or from what the reader has. */
export async function runEvents(
  request: Request,
  found: { readonly id: string; readonly caller: Caller },
  routes: RunRoutes,
): Promise<Response> {
  const run = await runOf(found.id, found.caller, routes);
  const last = Number(request.headers.get("last-event-id") ?? 0);
  const { keepAliveMs, clock } = routes.context;
  return sseResponse((out) => follow(run, Number.isSafeInteger(last) && last > 0 ? last : 0, out), {
    keepAliveMs,
    clock,
  });
}

async function follow(run: Run, after: number, out: SseWriter): Promise<void> {
  let next = after;
  for (;;) {
    for (const { id, fields } of run.events.slice(next)) {
      out.data(fields, { id });
      next = id;
    }
    if (out.signal.aborted) return;
    if (run.status !== "running") break;
    await more(run, out.signal);
  }
  out.comment("stream closed");
}

/** Resolves when the run has told something, or the reader has gone. */
function more(run: Run, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      run.readers.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    run.readers.add(wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

/** The run of that caller, also one that is about to begin. */
export async function runOf(id: string, caller: Caller, { runs, context, signal }: RunRoutes): Promise<Run> {
  const found = runs.find(id, caller);
  if (found !== undefined) return found;
  await context.clock.sleep(graceMs, signal);
  const late = runs.find(id, caller);
  if (late === undefined) throw new ApiError(404, `There is no run ${id.slice(0, 100)}.`, { code: "run_not_found" });
  return late;
}
