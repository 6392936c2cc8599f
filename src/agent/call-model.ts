import type { AgentEvent, Cost, SessionId, Usage } from "#conversation";
import { never } from "#foundation/abort";
import type { Clock } from "#foundation/clock";
import {
  type AttemptEvent,
  type Collected,
  Collector,
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
  /** Accounts for what the provider counted and says what it cost; undefined usage means nobody knows. */
  settle(id: string, counted: CountedCall, signal: AbortSignal): Promise<Cost>;
  release(id: string, signal: AbortSignal): Promise<void>;
}

export interface CountedCall {
  readonly sessionId: SessionId;
  readonly target: Target;
  readonly usage: Usage | undefined;
  readonly costUsd: number | undefined;
}

export interface CallModelDeps {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
  readonly money: CallMoney;
  readonly clock: Clock;
  /** Headers that say how much may still be asked. */
  onRateLimits?(target: Target, headers: Readonly<Record<string, string>>): void;
}

export interface CallView {
  readonly sessionId: SessionId;
  readonly estimatedTokens: number;
  emit?(event: AgentEvent): void;
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
  const reserved = await deps.money.reserve(request, view, signal);
  if ("refused" in reserved) {
    return { collected: new Collector().result(), failure: reserved.refused, durationMs: 0, wasShown: false };
  }
  const reader = new CallReader(view);
  let isSent = false;
  let cost: Cost | undefined;
  try {
    for await (const event of deps.stream(request, signal)) {
      isSent = true;
      if (event.type === "rate-limits") deps.onRateLimits?.(request.target, event.headers);
      else reader.take(event);
    }
  } finally {
    reader.close();
    const { usage, costUsd } = reader.collected();
    const counted = { sessionId: view.sessionId, target: request.target, usage, costUsd };
    // An interrupted call is accounted for as well, so these waits do not end with the turn.
    if (isSent && (usage !== undefined || reader.failure === undefined))
      cost = await deps.money.settle(reserved.id, counted, never);
    else await deps.money.release(reserved.id, never);
  }
  const { failure } = reader;
  return {
    collected: reader.collected(),
    ...(failure === undefined ? {} : { failure }),
    ...(cost === undefined ? {} : { cost }),
    durationMs: deps.clock.now() - startedAt,
    wasShown: reader.wasShown,
  };
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
