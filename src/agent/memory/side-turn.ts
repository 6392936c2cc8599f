import { type AssistantMessage, EventBus, type ToolDetails, userMessage } from "#conversation";
import { newId } from "#foundation/text/ids";
import type { ModelRequest, RequestOptions } from "#model";
import { Agent } from "../agent.ts";
import type { AgentDeps, AgentModel } from "../agent-deps.ts";
import { Conversation } from "../conversation.ts";
import { narrowListing } from "../narrow-listing.ts";
import { unrecorded } from "../ports.ts";
import type { Remedy, RemedyContext } from "../recovery/remedy.ts";
import { callModel } from "../turn/request/call-model.ts";
import { within } from "./bounded.ts";
import type { FlushDeps, FlushRequest } from "./flush.ts";
import type { ReviewDeps, ReviewJob } from "./review.ts";

/** A main agent's deps, as far as work beside its conversation uses them. */
export interface SideTurnDeps
  extends Pick<AgentDeps, "conversation" | "clock" | "logger" | "settings" | "scope" | "tools" | "prompt"> {
  readonly model: Omit<AgentModel, "remedies">;
  /** Remedies for a conversation of its own: going elsewhere there must not move the main one. */
  remedies(conversation: Conversation, context: RemedyContext): readonly Remedy[];
  /** Who answers a question instead of the model of the conversation, where the settings name somebody. */
  elsewhere?(): ((request: ModelRequest, signal: AbortSignal) => Promise<AssistantMessage | undefined>) | undefined;
}

export interface SideTurns {
  /** A quiet agent over a copy of the history, with few tools; it leaves no trace but what its tools did. */
  readonly runReview: ReviewDeps["runReview"];
  /** One question beside the conversation. */
  readonly askOnce: FlushDeps["askOnce"];
}

/**
 * Work beside a conversation: a review after a turn, a last chance to save before context is lost.
 *
 * 1. Nothing of it is recorded, shown, or sent in the conversation; hooks and outside memory do not hear of it.
 * 2. Every call passes the money gate and is counted on the session.
 */
export function createSideTurns(deps: SideTurnDeps): SideTurns {
  return {
    runReview: (job, signal) =>
      within((stop) => runReview(job, deps, stop), { clock: deps.clock, timeoutMs: job.deadlineMs, signal }),
    askOnce: (request, signal) =>
      within((stop) => askOnce(request, deps, stop), { clock: deps.clock, timeoutMs: request.timeoutMs, signal }),
  };
}

async function runReview(job: ReviewJob, deps: SideTurnDeps, signal: AbortSignal): Promise<readonly ToolDetails[]> {
  const { conversation: main, tools, settings } = deps;
  const conversation = new Conversation({
    sessionId: main.sessionId,
    rootSessionId: main.rootSessionId,
    history: job.history,
    target: main.target,
    fallbackChain: main.fallback.chain,
  });
  const listing = narrowListing(tools.listing(), (tool) => job.toolNames.includes(tool.name));
  const { scope, clock, logger, prompt, model } = deps;
  const done: ToolDetails[] = [];
  const events = new EventBus(logger);
  events.subscribe((event) => {
    if (event.type === "tool-end" && !event.isError && event.details !== undefined) done.push(event.details);
  });
  const agent = new Agent({
    conversation,
    scope,
    clock,
    logger,
    settings: { ...settings, maxSteps: job.maxSteps, budgetHints: false },
    model: {
      stream: (request, stop) => model.stream(request, stop),
      money: model.money,
      remedies: (context) => deps.remedies(conversation, context),
      onRateLimits: (target, headers) => model.onRateLimits?.(target, headers),
      succeeded: async (target) => model.succeeded?.(target),
    },
    record: { transcript: unrecorded(main.sessionId) },
    prompt: { source: prompt.source },
    memory: {},
    observers: { events },
    tools: {
      listing: () => listing,
      files: tools.files,
      limits: tools.limits,
      redact: (text) => tools.redact(text),
      abilities: () => tools.abilities(),
      observers: () => [],
      hintsFor: () => Promise.resolve(""),
    },
  });
  try {
    const ended = await agent.runConversation({ userMessage: job.instruction, taskId: newId("side"), signal });
    signal.throwIfAborted();
    if (ended.failed) throw new Error(ended.error ?? `the side turn ended with ${ended.exitReason}`);
    return done;
  } finally {
    if (conversation.cost !== undefined) main.count(conversation.usage, conversation.cost);
  }
}

async function askOnce(
  asked: FlushRequest,
  deps: SideTurnDeps,
  signal: AbortSignal,
): Promise<AssistantMessage | undefined> {
  const request = await requestFor(asked, deps);
  const ask = deps.elsewhere?.();
  if (ask !== undefined) return ask(request, signal);
  const first = await call(request, deps, signal);
  if (first.failure === undefined) return first.collected.message;
  // Some models know one temperature only; the words matter more than their warmth.
  if (first.failure.kind === "unsupported_parameter" && first.failure.parameter === "temperature") {
    const { temperature: _refused, ...options } = request.options;
    const second = await call({ ...request, options }, deps, signal);
    if (second.failure === undefined) return second.collected.message;
  }
  deps.logger.debug("a question beside the conversation got no answer", { why: first.failure.kind });
  return undefined;
}

async function requestFor(asked: FlushRequest, deps: SideTurnDeps): Promise<ModelRequest> {
  const { conversation, tools, settings } = deps;
  const { target } = conversation;
  const allowed: readonly string[] = asked.toolNames;
  const { reasoning: _reasoning, ...input } = settings.request;
  const options: RequestOptions = {
    ...input,
    stream: true,
    maxOutputTokens: asked.maxTokens,
    temperature: asked.temperature,
    cacheKey: conversation.rootSessionId,
    initiator: "agent",
  };
  return {
    target,
    system: await deps.prompt.source.text(),
    messages: [...conversation.sent.view(asked.messages), userMessage(asked.instruction)],
    tools: narrowListing(tools.listing(), (tool) => allowed.includes(tool.name)).definitions,
    options,
  };
}

async function call(request: ModelRequest, deps: SideTurnDeps, signal: AbortSignal) {
  const { conversation, clock, model, logger } = deps;
  const view = { sessionId: conversation.sessionId, estimatedTokens: conversation.meter.estimate(request) };
  const calling = { stream: model.stream.bind(model), money: model.money, clock, logger };
  const end = await callModel(request, view, { deps: calling, signal });
  const { usage } = end.collected;
  if (usage !== undefined && end.cost !== undefined) conversation.count(usage, end.cost);
  return end;
}
