import { type AssistantMessage, EventBus, type Message, userMessage } from "#conversation";
import { newId } from "#foundation/text/ids";
import type { ModelRequest, RequestOptions } from "#model";
import { Agent } from "./agent.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { callModel } from "./call-model.ts";
import { Conversation } from "./conversation.ts";
import { narrowListing } from "./delegation/narrow-listing.ts";
import { within } from "./memory/bounded.ts";
import type { FlushDeps, FlushRequest } from "./memory/flush.ts";
import type { ReviewDeps, ReviewJob } from "./memory/review.ts";
import { unrecorded } from "./ports.ts";
import type { Remedy, RemedyContext } from "./recovery/remedy.ts";

type Shared =
  | "clock"
  | "logger"
  | "settings"
  | "scope"
  | "stream"
  | "money"
  | "prompt"
  | "tools"
  | "onRateLimits"
  | "succeeded";

/** The parts of a main agent that work beside its conversation uses too. */
export interface SideTurnDeps extends Pick<AgentDeps, Shared> {
  /** The conversation beside which it happens. It is read, and charged; nothing is said in it. */
  readonly conversation: Conversation;
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

async function runReview(job: ReviewJob, deps: SideTurnDeps, signal: AbortSignal): Promise<readonly Message[]> {
  const { conversation: main, tools, settings } = deps;
  const conversation = new Conversation({
    sessionId: main.sessionId,
    rootSessionId: main.rootSessionId,
    history: job.history,
    target: main.target,
    fallbackChain: main.fallback.chain,
  });
  const listing = narrowListing(tools.listing(), (tool) => job.toolNames.includes(tool.name));
  const agent = new Agent({
    ...partsOf(deps),
    conversation,
    settings: { ...settings, maxSteps: job.maxSteps, budgetHints: false },
    transcript: unrecorded(main.sessionId),
    tools: {
      listing: () => listing,
      files: tools.files,
      ...(tools.limits === undefined ? {} : { limits: tools.limits }),
      redact: (text) => tools.redact(text),
      agentTools: tools.agentTools,
      observers: () => [],
      hintsFor: () => Promise.resolve(""),
    },
    remedies: (context) => deps.remedies(conversation, context),
    events: new EventBus(deps.logger),
  });
  try {
    const ended = await agent.runConversation({ userMessage: job.instruction, taskId: newId("side"), signal });
    signal.throwIfAborted();
    if (ended.failed) throw new Error(ended.error ?? `the side turn ended with ${ended.exitReason}`);
    return ended.messages;
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
  const { reasoning: _reasoning, ...given } = settings.request;
  const options: RequestOptions = {
    ...given,
    stream: target.quirks.supportsStreaming !== false,
    maxOutputTokens: asked.maxTokens,
    temperature: asked.temperature,
    cacheKey: conversation.rootSessionId,
    initiator: "agent",
  };
  return {
    target,
    system: await deps.prompt.text(),
    messages: [...conversation.sent.view(asked.messages), userMessage(asked.instruction)],
    tools: narrowListing(tools.listing(), (tool) => allowed.includes(tool.name)).definitions,
    options,
  };
}

async function call(request: ModelRequest, deps: SideTurnDeps, signal: AbortSignal) {
  const { conversation, clock, money, logger } = deps;
  const view = { sessionId: conversation.sessionId, estimatedTokens: conversation.meter.estimate(request) };
  const calling = { stream: deps.stream.bind(deps), money, clock, logger };
  const end = await callModel(request, view, { deps: calling, signal });
  const { usage } = end.collected;
  if (usage !== undefined && end.cost !== undefined) conversation.count(usage, end.cost);
  return end;
}

function partsOf(deps: SideTurnDeps): Pick<AgentDeps, Exclude<Shared, "settings" | "tools">> {
  const { clock, logger, scope, money, prompt, onRateLimits, succeeded } = deps;
  return {
    clock,
    logger,
    scope,
    money,
    prompt,
    stream: deps.stream.bind(deps),
    ...(onRateLimits === undefined ? {} : { onRateLimits }),
    ...(succeeded === undefined ? {} : { succeeded }),
  };
}
