import { type AssistantMessage, type Spender, type Usage, zeroUsage } from "#conversation";
import { defined } from "#foundation/defined";
import { deadline, isTimeout, linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { CallEstimate } from "../budget/estimate.ts";
import type { BudgetGate } from "../budget/gate.ts";
import { assumedPriceNotice, describeCeiling, describeRefusal } from "../budget/messages.ts";
import type { CallCost } from "../catalog/cost.ts";
import { estimateMessage } from "../catalog/token-estimate.ts";
import type { AttemptEvent } from "../client.ts";
import { type Collected, Collector } from "../collect.ts";
import { classify } from "../failures/classify.ts";
import type { ModelFailure } from "../failures/failure.ts";
import type { AttemptFault } from "../failures/fault.ts";
import { retryDelayMs } from "../failures/retry-delay.ts";
import type { ModelRequest } from "../request.ts";
import type { Target } from "../target.ts";
import { adjustRequest } from "./adjust.ts";

export interface CallDeps {
  /** One attempt; fails with `attempt-failed` as its last event. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
  estimate(request: ModelRequest): CallEstimate & { readonly promptTokens: number };
  cost(target: Target, usage: Usage, reportedUsd?: number): CallCost;
  readonly gate: BudgetGate;
  readonly spender: Spender;
  /** What the call is for. */
  readonly purpose: string;
  readonly clock: Clock;
  warn(message: string): void;
}

export type CallOutcome =
  | {
      readonly kind: "answered";
      readonly message: AssistantMessage;
      readonly text: string;
      readonly usage?: Usage;
      readonly cost?: CallCost;
    }
  | { readonly kind: "failed"; readonly failure: ModelFailure };

const maxRetries = 2;
const maxAdjustments = 4;

/** Calls one target until it answers, adjusting what it refuses, each kind of adjustment once. */
export async function callTarget(
  request: ModelRequest,
  options: { readonly timeoutMs: number; readonly deps: CallDeps },
  signal: AbortSignal,
): Promise<CallOutcome> {
  const { deps } = options;
  const remedies = new Remedies(deps.clock);
  let current = request;
  for (;;) {
    const outcome = await attemptOnce(current, options, signal);
    if (outcome.kind === "answered") return outcome;
    const next = await remedies.next(current, outcome.failure, signal);
    if (next === undefined) return outcome;
    current = next;
  }
}

/** What is tried after a failure; remembers what was tried. */
class Remedies {
  readonly #clock: Clock;
  #adjustments = 0;
  #retries = 0;
  #isRefreshed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The request to send next; undefined when nothing more helps here. */
  async next(request: ModelRequest, failure: ModelFailure, signal: AbortSignal): Promise<ModelRequest | undefined> {
    const adjusted = this.#adjustments < maxAdjustments ? adjustRequest(request, failure) : undefined;
    if (adjusted !== undefined) {
      this.#adjustments += 1;
      return adjusted;
    }
    if (failure.kind === "auth") return this.#refreshed(request, signal);
    // Sending the same again helps against passing troubles only: size and parameters stay what they are.
    const isPassing = failure.isRetryable && !failure.mayCompress && failure.mayFallBack;
    if (!isPassing || failure.kind === "unsupported_parameter" || this.#retries >= maxRetries) return undefined;
    this.#retries += 1;
    await this.#clock.sleep(retryDelayMs(failure, { attempt: this.#retries }), signal);
    return request;
  }

  async #refreshed(request: ModelRequest, signal: AbortSignal): Promise<ModelRequest | undefined> {
    if (this.#isRefreshed) return undefined;
    this.#isRefreshed = true;
    return (await request.target.credential.refresh(signal)) ? request : undefined;
  }
}

async function attemptOnce(
  request: ModelRequest,
  { timeoutMs, deps }: { readonly timeoutMs: number; readonly deps: CallDeps },
  signal: AbortSignal,
): Promise<CallOutcome> {
  const failed = (fault: AttemptFault): CallOutcome => ({
    kind: "failed",
    failure: classify(fault, factsOf(request, deps)),
  });
  signal.throwIfAborted();
  const { spender, purpose } = deps;
  const reserved = await deps.gate.reserve({ spender, purpose, target: request.target }, deps.estimate(request));
  if (reserved.kind === "refused") return failed({ kind: "budget", message: describeRefusal(reserved) });
  for (const reached of reserved.warnings) deps.warn(describeCeiling(reached));
  if (reserved.isAssumed) deps.warn(assumedPriceNotice);
  const collector = new Collector();
  try {
    using limit = deadline(timeoutMs);
    const linked = linkSignals(signal, limit.signal);
    const failure = await read(request, collector, { deps, signal: linked, limit: limit.signal });
    signal.throwIfAborted();
    if (failure === "timed-out") return failed({ kind: "stale", waitedMs: timeoutMs });
    if (failure !== undefined) return { kind: "failed", failure };
    return answerOf(collector.result(), { request, deps, failed });
  } finally {
    await settle(reserved.id, request, { deps, collected: collector.result() });
  }
}

async function read(
  request: ModelRequest,
  collector: Collector,
  at: { readonly deps: CallDeps; readonly signal: AbortSignal; readonly limit: AbortSignal },
): Promise<ModelFailure | "timed-out" | undefined> {
  try {
    for await (const event of at.deps.stream(request, at.signal)) {
      if (event.type === "attempt-failed") return event.failure;
      if (event.type !== "rate-limits") collector.add(event);
    }
    return undefined;
  } catch (error) {
    if (at.limit.aborted && isTimeout(error)) return "timed-out";
    throw error;
  }
}

/** The words, or the reasoning of a model that said nothing else. */
function answerOf(
  collected: Collected,
  at: {
    readonly request: ModelRequest;
    readonly deps: CallDeps;
    readonly failed: (fault: AttemptFault) => CallOutcome;
  },
): CallOutcome {
  const { message, costUsd } = collected;
  const usage = usageOf(collected, at);
  const text = message.content.trim() === "" ? (message.reasoning ?? "").trim() : message.content;
  if (message.finish_reason === "content_filter" && text === "")
    return at.failed({
      kind: "http",
      status: 400,
      headers: {},
      body: '{"error":{"code":"content_filter","message":"the answer was withheld"}}',
    });
  if (text === "" && (message.tool_calls ?? []).length === 0)
    return at.failed({ kind: "invalid", reason: "the answer is empty" });
  const cost = usage === undefined ? undefined : at.deps.cost(at.request.target, usage, costUsd);
  return {
    kind: "answered",
    message,
    text,
    ...defined({ usage, cost }),
  };
}

/** The money is accounted for whatever happened, also when the turn was interrupted: what was counted was charged. */
async function settle(
  id: string,
  request: ModelRequest,
  { deps, collected }: { readonly deps: CallDeps; readonly collected: Collected },
): Promise<void> {
  const usage = usageOf(collected, { request, deps });
  if (usage === undefined) {
    await deps.gate.release(id);
    return;
  }
  const cost = deps.cost(request.target, usage, collected.costUsd);
  await deps.gate.settle(id, { usage, cost: cost.cost });
}

/** What the server counted; an estimate for a whole answer that it did not count; nothing for one that broke off. */
function usageOf(
  { usage, isPartial, message }: Collected,
  { request, deps }: { readonly request: ModelRequest; readonly deps: CallDeps },
): Usage | undefined {
  if (usage !== undefined || isPartial) return usage;
  const { promptTokens } = deps.estimate(request);
  return { ...zeroUsage, input: promptTokens, output: estimateMessage(message), isEstimated: true };
}

function factsOf(request: ModelRequest, deps: CallDeps) {
  const { target, messages } = request;
  return {
    provider: target.provider,
    model: target.model,
    tokens: deps.estimate(request).promptTokens,
    window: target.limits.contextWindow,
    messageCount: messages.length,
    nowMs: deps.clock.now(),
  };
}
