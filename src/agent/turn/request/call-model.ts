import { type AgentEvent, type Cost, type SessionId, type Usage, zeroUsage } from "#conversation";
import { defined } from "#foundation/defined";
import type { Logger } from "#foundation/files/logger";
import { quietly } from "#foundation/files/quietly";
import type { Clock } from "#foundation/time/clock";
import {
  type AccountGate,
  type AttemptEvent,
  type Collected,
  Collector,
  estimateMessage,
  localFailure,
  type ModelFailure,
  type ModelRequest,
  type Target,
} from "#model";

/** The money side of a call: set aside before, settled after. */
export interface CallMoney {
  /** The id of the reservation, or why the call may not be made. */
  reserve(
    request: ModelRequest,
    facts: { readonly sessionId: SessionId; readonly estimatedTokens: number },
    signal: AbortSignal,
  ): Promise<{ readonly id: string } | { readonly refused: ModelFailure }>;
  /** Accounts for what was counted and says what it cost. */
  settle(id: string, counted: CountedCall): Promise<Cost>;
  release(id: string): Promise<void>;
}

export interface CountedCall {
  readonly sessionId: SessionId;
  readonly target: Target;
  /** Estimated where the server counted nothing. */
  readonly usage: Usage;
  readonly costUsd: number | undefined;
}

export interface CallModelDeps {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
  readonly money: CallMoney;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Accounts whose limit is reached for every process: nothing is sent there. */
  readonly gate?: AccountGate | undefined;
  /** Headers that say how much may still be asked. */
  readonly onRateLimits?: ((target: Target, headers: Readonly<Record<string, string>>) => void) | undefined;
}

export interface CallView {
  readonly sessionId: SessionId;
  readonly estimatedTokens: number;
  emit?(event: AgentEvent): void;
  /** The call was stopped from outside; this is what had been said until then. */
  onStopped?(collected: Collected): void;
}

export interface CallEnd {
  readonly collected: Collected;
  /** Set when the attempt failed; what had been said until then is in `collected`. */
  readonly failure?: ModelFailure;
  readonly durationMs: number;
  /** Visible text went out as it came. */
  readonly wasShown: boolean;
  /** Absent when the call was not made or not counted. */
  readonly cost?: Cost;
}

/**
 * One call through the money gate. Counted whatever became of it: a truncated, empty or broken answer
 * costs as much as a good one. Rejects only for aborts and bugs.
 */
export async function callModel(
  request: ModelRequest,
  view: CallView,
  { deps, signal }: { readonly deps: CallModelDeps; readonly signal: AbortSignal },
): Promise<CallEnd> {
  const startedAt = deps.clock.now();
  const closed = await closedDoor(request.target, deps);
  if (closed !== undefined) return notMade(closed);
  const reserved = await deps.money.reserve(request, view, signal);
  if ("refused" in reserved) return notMade(reserved.refused);
  const reader = new CallReader(view);
  let headers: Readonly<Record<string, string>> = {};
  let isSent = false;
  let cost: Cost | undefined;
  try {
    for await (const event of deps.stream(request, signal)) {
      isSent = true;
      if (event.type === "rate-limits") {
        headers = event.headers;
        deps.onRateLimits?.(request.target, headers);
      } else reader.take(event);
    }
  } catch (error) {
    if (signal.aborted) view.onStopped?.(reader.collected());
    throw error;
  } finally {
    reader.close();
    const collected = reader.collected();
    const { costUsd } = collected;
    const usage = collected.usage ?? estimatedUsage(collected, view.estimatedTokens);
    const counted = { sessionId: view.sessionId, target: request.target, usage, costUsd };
    // An interrupted call is accounted for as well.
    if (isSent && (collected.usage !== undefined || reader.failure === undefined))
      cost = await deps.money.settle(reserved.id, counted);
    else await deps.money.release(reserved.id);
  }
  const { failure } = reader;
  await tellGate(request.target, { failure, headers }, deps);
  return {
    collected: reader.collected(),
    ...defined({ failure, cost }),
    durationMs: deps.clock.now() - startedAt,
    wasShown: reader.wasShown,
  };
}

/** What a call must have cost that the server reported no counts for. */
function estimatedUsage({ message }: Collected, promptTokens: number): Usage {
  return { ...zeroUsage, input: promptTokens, output: estimateMessage(message), isEstimated: true };
}

function notMade(failure: ModelFailure): CallEnd {
  return { collected: new Collector().result(), failure, durationMs: 0, wasShown: false };
}

/** A limit of the whole account, known from an earlier refusal: waiting for it here would only hold the turn. */
async function closedDoor(target: Target, { gate, clock, logger }: CallModelDeps): Promise<ModelFailure | undefined> {
  const untilMs = await quietly("asking for account limits", () => gate?.closedUntilMs(target), { logger });
  if (untilMs === undefined) return undefined;
  const waitMs = Math.max(0, untilMs - clock.now());
  return localFailure("rate_limit", target, {
    message: `the account's limit is reached for another ${Math.ceil(waitMs / 60_000)} min; nothing was sent`,
    retryAfterMs: waitMs,
    resetAtMs: untilMs,
    isRetryable: false,
    mayRotate: false,
  });
}

async function tellGate(
  target: Target,
  end: { readonly failure: ModelFailure | undefined; readonly headers: Readonly<Record<string, string>> },
  { gate, logger }: CallModelDeps,
): Promise<void> {
  const { failure, headers } = end;
  if (gate === undefined) return;
  if (failure === undefined) await quietly("noting an answer", () => gate.answered(target, headers), { logger });
  else if (failure.kind === "rate_limit")
    await quietly("noting a limit", () => gate.refused(target, headers), { logger });
}

/** Turns the events of one attempt into what a surface draws, and gathers the reply. */
class CallReader {
  readonly #collector = new Collector();
  readonly #view: CallView;
  #isTextOpen = false;
  wasShown = false;
  failure: ModelFailure | undefined;

  constructor(view: CallView) {
    this.#view = view;
  }

  take(event: Exclude<AttemptEvent, { type: "rate-limits" }>): void {
    if (event.type === "attempt-failed") {
      this.failure = event.failure;
      return;
    }
    const mayShow = this.#collector.add(event) === "show";
    if (event.type === "text-delta" && mayShow && event.text !== "") {
      this.#isTextOpen = true;
      this.wasShown = true;
      this.#emit({ type: "text-delta", text: event.text });
    } else if (event.type === "reasoning-delta" && event.text !== "") {
      this.#emit({ type: "reasoning-delta", text: event.text });
    } else if (event.type === "tool-input-start") {
      this.close();
      this.#emit({ type: "tool-input-start", callId: event.id, name: event.name });
    }
  }

  collected(): Collected {
    return this.#collector.result();
  }

  /** Ends the visible text, once. */
  close(): void {
    if (!this.#isTextOpen) return;
    this.#isTextOpen = false;
    this.#emit({ type: "text-end" });
  }

  #emit(event: AgentEvent): void {
    this.#view.emit?.(event);
  }
}
