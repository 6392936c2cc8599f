import { textOf, zeroUsage } from "#conversation";
import { defined } from "#foundation/defined";
import { quietly } from "#foundation/files/quietly";
import { type Collected, localFailure, type ModelFailure, type ModelRequest } from "#model";
import type { Attempt } from "../loop.ts";
import type { RequestFacts, TurnHooks } from "../ports.ts";
import { type CallEnd, type CallModelDeps, callModel } from "./request/call-model.ts";
import { joinedWith, withFragments } from "./request/fragments.ts";
import { type InspectFacts, inspect } from "./request/inspect.ts";
import type { ContextMeter } from "./request/meter.ts";
import type { Turn } from "./turn.ts";

export interface AttemptDeps extends CallModelDeps {
  readonly meter: ContextMeter;
  readonly hooks: TurnHooks;
  buildRequest(turn: Turn): Promise<ModelRequest>;
  /** What a reply is judged by. */
  factsFor(turn: Turn): InspectFacts;
  /** A good reply of this target: credentials and learned limits may be confirmed. */
  succeeded(turn: Turn): Promise<void>;
}

/** One attempt: request from the turn, events out, reply inspected. */
export function createAttempt(deps: AttemptDeps): (turn: Turn) => Promise<Attempt> {
  return async (turn) => {
    const request = await deps.buildRequest(turn);
    const estimatedTokens = deps.meter.current(request);
    const facts = requestFacts(request, turn, estimatedTokens);
    const { logger, hooks } = deps;
    const { signal } = turn;
    await quietly("a hook before a request", () => hooks.beforeRequest?.(facts, signal), { logger, signal });
    turn.emit({ type: "attempt-start", provider: turn.target.provider, model: turn.target.model });
    let end: CallEnd;
    try {
      const view = {
        sessionId: turn.sessionId,
        estimatedTokens,
        emit: turn.emit.bind(turn),
        onStopped: (collected: Collected) => turn.noteUnfinished(joinedWith(collected, turn.history)),
      };
      end = await callModel(request, view, { deps, signal });
    } finally {
      turn.emit({ type: "attempt-end" });
    }
    if (end.failure !== undefined) return failed(end.failure, end.collected);
    deps.meter.observe(request, end.collected.usage);
    const answered = { ...facts, ...responseFacts(end) };
    await quietly("a hook after a request", () => hooks.afterRequest?.(answered, signal), { logger, signal });
    return judge(end, turn, deps);
  };
}

function failed(failure: ModelFailure, partial: Collected): Attempt {
  return { problem: { stage: "request", failure, ...(failure.isPartial ? { partial } : {}) } };
}

async function judge(end: CallEnd, turn: Turn, deps: AttemptDeps): Promise<Attempt> {
  if (isSilentRefusal(end.collected)) return failed(declined(turn), end.collected);
  const inspection = inspect(end.collected, deps.factsFor(turn));
  if ("defect" in inspection)
    return { problem: { stage: "reply", defect: inspection.defect, collected: end.collected } };
  await quietly("confirming a target", () => deps.succeeded(turn), { logger: deps.logger, signal: turn.signal });
  const reply = withFragments(inspection.reply, end.collected, turn.history);
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
    characters: request.messages.reduce((sum, { content }) => sum + textOf(content).length, request.system.length),
    ...defined({ maxOutputTokens: options.maxOutputTokens }),
  };
}

function responseFacts({ collected, durationMs }: CallEnd) {
  const { isEstimated: _, ...usage } = collected.usage ?? zeroUsage;
  return {
    durationMs,
    finish: collected.finish,
    usage,
    textLength: collected.message.content.length,
    callCount: collected.message.tool_calls?.length ?? 0,
  };
}

/** A filter took the whole answer away: asking the same again gives the same. */
function isSilentRefusal({ finish, message }: Collected): boolean {
  return finish === "content_filter" && message.content.trim() === "" && (message.tool_calls?.length ?? 0) === 0;
}

function declined({ target }: Turn): ModelFailure {
  return localFailure("content_filtered", target, { message: "the answer was withheld by a content filter" });
}
