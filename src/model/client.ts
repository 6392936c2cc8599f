import type { ModelEvent } from "#conversation";
import { defined } from "#foundation/defined";
import { HermesError, UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { HttpAnswer } from "#foundation/http/answer";
import { parseJson } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { estimateRequest } from "./catalog/token-estimate.ts";
import type { ModelFailure } from "./failures/failure.ts";
import type { AttemptFault, FailureFacts } from "./failures/fault.ts";
import { mergeHeaders, type PreparedRequest, prepareRequest, sendable } from "./prepare.ts";
import type { Lift, Lifted } from "./protocols/protocol.ts";
import type { WireMemo } from "./protocols/wire-memo.ts";
import type { ModelRequest } from "./request.ts";
import { AttemptExchange } from "./transport/attempt-exchange.ts";
import type { Connections } from "./transport/connections.ts";
import { openDecoder } from "./transport/decoder.ts";
import { FramingError } from "./transport/frames.ts";
import type { RequestDump } from "./transport/request-dump.ts";

export type AttemptEvent =
  | ModelEvent
  /** Last event of an attempt that did not work out. */
  | { readonly type: "attempt-failed"; readonly failure: ModelFailure }
  /** Headers that tell how much may still be asked; names in lower case. */
  | { readonly type: "rate-limits"; readonly headers: Readonly<Record<string, string>> };

export interface ModelClientDeps {
  readonly connections: Connections;
  classify(fault: AttemptFault, facts: FailureFacts): ModelFailure | Promise<ModelFailure>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where requests are written down. */
  readonly dump?: RequestDump | undefined;
}

/**
 * One attempt: the request goes out, its events come in. Whatever goes wrong is the last event,
 * `attempt-failed`; only aborts and bugs are thrown. Leaving the loop early closes the connection.
 */
export async function* streamModel(
  request: ModelRequest,
  deps: ModelClientDeps,
  signal: AbortSignal,
): AsyncGenerator<AttemptEvent, void> {
  signal.throwIfAborted();
  if ((request.target.timeouts.minIntervalMs ?? 0) > 0)
    await deps.connections.pacing.turn(request.target, deps.clock, signal);
  using exchange = new AttemptExchange(request, deps.clock, signal);
  const failed = async (fault: AttemptFault, sent?: PreparedRequest): Promise<AttemptEvent> => {
    const failure = await deps.classify(exchange.redact(fault), factsOf(request, deps.clock, sent));
    deps.logger.info("model attempt failed", {
      provider: failure.provider,
      model: failure.model,
      kind: failure.kind,
      ...defined({ status: failure.status }),
    });
    return { type: "attempt-failed", failure };
  };
  if (/^acp(?:\+tcp)?:/.test(request.target.baseUrl)) {
    const { acpAttempt } = await import("./transport/acp/attempt.ts");
    for await (const step of acpAttempt(request, { exchange, logger: deps.logger }))
      yield step.type === "fault" ? await failed(step.fault) : step;
    return;
  }
  const prepared = await prepare(request, deps.connections.memo);
  if ("kind" in prepared) {
    yield await failed(prepared);
    return;
  }
  await deps.dump?.(request, prepared);
  const answer = await send(prepared, exchange, deps);
  if ("kind" in answer) {
    yield await failed(answer, prepared);
    return;
  }
  const limits = rateLimitHeaders(answer.headers);
  if (limits !== undefined) yield { type: "rate-limits", headers: limits };
  try {
    const events =
      answer.status >= 300
        ? refusal(answer, exchange)
        : isWhole(prepared, answer)
          ? wholeEvents(prepared, answer, { request, exchange })
          : streamedEvents(prepared, answer, { request, exchange });
    for await (const event of events) {
      if (event.type === "fault") {
        if (event.isBroken === true) deps.connections.fresh();
        yield await failed(event.fault, prepared);
        return;
      }
      yield event;
    }
  } finally {
    await exchange.finish(answer);
  }
}

/** `isBroken`: it was the connection that failed, and others beside it may be dead as well. */
type Step = ModelEvent | { readonly type: "fault"; readonly fault: AttemptFault; readonly isBroken?: boolean };

interface Reading {
  readonly request: ModelRequest;
  readonly exchange: AttemptExchange;
}

/** A request that cannot be written is refused here, in the form in which a server would refuse it. */
async function prepare(request: ModelRequest, memo: WireMemo): Promise<PreparedRequest | AttemptFault> {
  try {
    return await prepareRequest(request, memo);
  } catch (error) {
    if (error instanceof UserError) {
      const field = error.data?.["field"];
      const message = typeof field === "string" ? `Unknown parameter: '${field}'. ${error.message}` : error.message;
      return refusedHere(400, { message, param: field ?? null, code: "unknown_parameter" });
    }
    if (error instanceof TypeError && "code" in error && error.code === "ERR_INVALID_URL") {
      const message = "the base URL of this provider is not an address";
      return { kind: "connection", failure: { kind: "invalid-url", message } };
    }
    throw error;
  }
}

function refusedHere(status: number, error: Readonly<Record<string, unknown>>): AttemptFault {
  return { kind: "http", status, headers: {}, body: JSON.stringify({ error }) };
}

async function send(
  prepared: PreparedRequest,
  exchange: AttemptExchange,
  { connections, logger }: ModelClientDeps,
): Promise<HttpAnswer | AttemptFault> {
  const { wire, url } = prepared;
  let authorization: Readonly<Record<string, string>>;
  try {
    const { method, body } = wire;
    authorization = await exchange.credential.authorize(
      { method, url, headers: prepared.headers, body },
      exchange.signal,
    );
  } catch (error) {
    exchange.signal.throwIfAborted();
    if (error instanceof Error && error.name === "KeyScopeError") return { kind: "key-scope", host: url.hostname };
    // A login that cannot be used is the same to the caller as one that the server refuses.
    if (error instanceof HermesError) return refusedHere(401, { message: error.message, code: error.code });
    throw error;
  }
  const { headers, cleaned } = sendable(mergeHeaders(prepared.headers, authorization));
  if (cleaned.length > 0)
    logger.warn("header values held characters that cannot be sent; they were left out", { headers: cleaned });
  try {
    return await connections.post({
      url,
      headers,
      body: wire.body,
      signal: exchange.signal,
      watchdog: exchange.watchdog,
      limits: exchange.limits(wire),
    });
  } catch (error) {
    connections.fresh();
    return exchange.faultOf(error, url);
  }
}

/** An error status: its body is read up to a bound; what cannot be read does not hide the status. */
async function* refusal(answer: HttpAnswer, exchange: AttemptExchange): AsyncGenerator<Step, void> {
  const read = await exchange.readText(answer, { maxBytes: 64 * 1024, keepsPartial: true });
  const location = answer.headers["location"];
  const isRedirect = answer.status < 400 && location !== undefined;
  const message = "the endpoint answered with a redirect, which is not followed because the credential would go along";
  const body = isRedirect ? JSON.stringify({ error: { message } }) : "text" in read ? read.text : "";
  yield { type: "fault", fault: { kind: "http", status: answer.status, headers: answer.headers, body } };
}

/** Servers that do not stream answer a streaming request with one JSON object. */
function isWhole(prepared: PreparedRequest, answer: HttpAnswer): boolean {
  return prepared.wire.framing === "json" || /\bjson\b/i.test(answer.headers["content-type"] ?? "");
}

const maxWholeBytes = 64 * 1024 * 1024;

async function* wholeEvents(
  prepared: PreparedRequest,
  answer: HttpAnswer,
  { request, exchange }: Reading,
): AsyncGenerator<Step, void> {
  const read = await exchange.readText(answer, { maxBytes: maxWholeBytes, keepsPartial: false });
  if (!("text" in read)) {
    yield { type: "fault", fault: read };
    return;
  }
  const parsed = parseJson(read.text);
  if (!parsed.ok) {
    yield { type: "fault", fault: { kind: "invalid", reason: whatItIs(read.text, parsed.message) } };
    return;
  }
  yield* steps(prepared.protocol.liftWhole(parsed.value, request), exchange);
}

function whatItIs(text: string, message: string): string {
  if (text.trim() === "") return "the answer is empty";
  return /^\s*<(?:!doctype|html)/i.test(text) ? "the answer is a web page" : `the answer is not JSON: ${message}`;
}

async function* streamedEvents(
  prepared: PreparedRequest,
  answer: HttpAnswer,
  { request, exchange }: Reading,
): AsyncGenerator<Step, void> {
  if (/\bhtml\b/i.test(answer.headers["content-type"] ?? "")) {
    yield { type: "fault", fault: { kind: "invalid", reason: "the answer is a web page" } };
    return;
  }
  const lift = prepared.protocol.openLift(request);
  const framing = prepared.wire.framing === "aws-event-stream" ? "aws-event-stream" : "sse";
  const decoder = await openDecoder(framing);
  exchange.startStale();
  try {
    for await (const bytes of answer.body) {
      for (const frame of decoder.push(bytes)) {
        exchange.throwIfAborted();
        exchange.noteFrame(frame);
        const lifted = lift.step(frame);
        if (lifted.length === 0) continue;
        yield* steps(lifted, exchange);
        if (exchange.isOver) return;
      }
    }
    for (const frame of decoder.end()) yield* steps(lift.step(frame), exchange);
  } catch (error) {
    yield* broken(error, lift, { exchange, url: prepared.url });
    return;
  }
  if (!exchange.isOver) yield* steps(lift.end(), exchange);
}

/** The connection or its framing broke. An answer that had already said its last word is whole all the same. */
async function* broken(
  error: unknown,
  lift: Lift,
  { exchange, url }: { readonly exchange: AttemptExchange; readonly url: URL },
): AsyncGenerator<Step, void> {
  exchange.throwIfAborted();
  const rest = lift.end();
  const isWhole = rest.some((event) => event.type === "attempt-end");
  yield* steps(isWhole ? rest : rest.filter((event) => event.type !== "stream-fault"), exchange);
  if (isWhole) return;
  if (error instanceof FramingError) {
    const fault = { type: "stream-fault" as const, code: "bad_framing", message: error.message, body: "" };
    yield { type: "fault", fault: { kind: "stream", fault, textShown: exchange.textShown } };
    return;
  }
  yield { type: "fault", fault: brokenStream(exchange.faultOf(error, url), exchange.textShown), isBroken: true };
}

/** A connection that broke in the middle of an answer is a broken answer: what was shown counts. */
function brokenStream(fault: AttemptFault, textShown: boolean): AttemptFault {
  if (fault.kind !== "connection" || fault.failure.kind === "timeout") return fault;
  const { code, message } = fault.failure;
  return {
    kind: "stream",
    fault: { type: "stream-fault", message, body: "", ...defined({ code }) },
    textShown,
  };
}

function* steps(lifted: readonly Lifted[], exchange: AttemptExchange): Generator<Step, void> {
  for (const event of lifted) {
    exchange.noteEvent(event);
    if (event.type === "stream-fault")
      yield { type: "fault", fault: { kind: "stream", fault: event, textShown: exchange.textShown } };
    else yield event;
  }
}

const limitHeader = /ratelimit|rate-limit|^retry-after|^x-codex-|^x-should-retry$/;

function rateLimitHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  const found = Object.entries(headers).filter(([name]) => limitHeader.test(name));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function factsOf(request: ModelRequest, clock: Clock, sent: PreparedRequest | undefined): FailureFacts {
  const { target } = request;
  return {
    provider: target.provider,
    model: target.model,
    tokens: estimateRequest(request),
    window: target.limits.contextWindow,
    messageCount: request.messages.length,
    nowMs: clock.now(),
    ...(sent === undefined ? {} : { endpoint: `${sent.url.origin}${sent.url.pathname}` }),
  };
}
