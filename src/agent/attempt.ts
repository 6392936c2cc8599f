import type { Logger } from "#foundation/logger";
import type { Collected, ModelFailure, ModelRequest } from "#model";
import { type CallEnd, type CallModelDeps, callModel } from "./call-model.ts";
import { withFragments } from "./fragments.ts";
import { type InspectFacts, inspect } from "./inspect.ts";
import type { Attempt } from "./loop.ts";
import type { ContextMeter } from "./meter.ts";
import type { RequestFacts, TurnHooks } from "./ports.ts";
import type { Turn } from "./turn.ts";

export interface AttemptDeps extends CallModelDeps {
  readonly meter: ContextMeter;
  readonly hooks: TurnHooks;
  readonly logger: Logger;
  buildRequest(turn: Turn): Promise<ModelRequest>;
  /** What a reply is judged by. */
  factsFor(turn: Turn): InspectFacts;
  /** A good reply of this target: credentials and learned limits may be confirmed. */
  succeeded(turn: Turn): Promise<void>;
}

/** One attempt: request from the turn, events out, reply inspected. */
export function createAttempt(deps: AttemptDeps): (turn: Turn) => Promise<Attempt> {
  return async (turn) => {
    if (!turn.steps.countCall()) return { problem: { stage: "request", failure: tooManyCalls(turn) } };
    const request = await deps.buildRequest(turn);
    const estimatedTokens = deps.meter.current(request);
    const facts = requestFacts(request, turn, estimatedTokens);
    await deps.hooks.beforeRequest?.(facts, turn.signal);
    turn.emit({ type: "attempt-start", provider: turn.target.provider, model: turn.target.model });
    let end: CallEnd;
    try {
      const view = {
        sessionId: turn.sessionId,
        estimatedTokens,
        emit: turn.emit.bind(turn),
      };
      end = await callModel(request, view, { deps, signal: turn.signal });
    } finally {
      turn.emit({ type: "attempt-end" });
    }
    if (end.failure !== undefined) return failed(end.failure, end.collected);
    deps.meter.observe(request, end.collected.usage);
    await deps.hooks.afterRequest?.({ ...facts, ...responseFacts(end) }, turn.signal);
    return judge(end, turn, deps);
  };
}

function failed(failure: ModelFailure, partial: Collected): Attempt {
  return { problem: { stage: "request", failure, ...(failure.isPartial ? { partial } : {}) } };
}

async function judge(end: CallEnd, turn: Turn, deps: AttemptDeps): Promise<Attempt> {
  const inspection = inspect(end.collected, deps.factsFor(turn));
  if ("defect" in inspection)
    return { problem: { stage: "reply", defect: inspection.defect, collected: end.collected } };
  await deps.succeeded(turn);
  const reply = withFragments(inspection.reply, turn.history);
  turn.emit({ type: "message-end", message: reply, wasStreamed: end.wasShown });
  return { reply };
}

function requestFacts(request: ModelRequest, turn: Turn, estimatedTokens: number): RequestFacts {
  const { target, options } = request;
  return {
    sessionId: turn.sessionId,
    taskId: turn.taskId,
    provider: target.provider,
    model: target.model,
    baseUrl: target.baseUrl,
    protocol: target.protocol,
    step: turn.steps.taken,
    messageCount: request.messages.length,
    toolCount: request.tools.length,
    estimatedTokens,
    ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
  };
}

function responseFacts({ collected, durationMs }: CallEnd) {
  return {
    durationMs,
    finish: collected.finish,
    usage: { ...collected.usage },
    textLength: collected.message.content.length,
    callCount: collected.message.tool_calls?.length ?? 0,
  };
}

/** The safety stop: retries and continuations together used up twice the budget. */
function tooManyCalls(turn: Turn): ModelFailure {
  return {
    kind: "budget_exceeded",
    provider: turn.target.provider,
    model: turn.target.model,
    message: `this turn has made ${turn.steps.limit * 2} model calls, twice its limit of steps`,
    isPartial: false,
    isRetryable: false,
    mayCompress: false,
    mayRotate: false,
    mayFallBack: false,
  };
}
