import type { Message } from "#conversation";
import type { Clock } from "#foundation/time/clock";
import type { Conversation } from "../conversation.ts";
import type { CompressContext, CompressOutcome } from "./engine.ts";
import { type CompressionRecord, type CompressionTrigger, savingsPct } from "./record.ts";
import type { Subject } from "./subject.ts";

export interface Wish {
  readonly trigger: CompressionTrigger;
  readonly attempt: number;
  readonly focusTopic?: string;
}

/** One compression while it runs. */
export interface Run extends Wish {
  readonly subject: Subject;
  readonly startedAtMs: number;
  readonly context: CompressContext;
  readonly tokenSource: "measured" | "estimated";
  /** Tokens of the request with another history, by the measure that gave `context.currentTokens`. */
  tokensWith(history: readonly Message[]): number;
}

/** Measures the request as it is, and prepares to measure others by the same standard: savings compare like with like. */
export async function beginRun(
  subject: Subject,
  wish: Wish,
  deps: { readonly conversation: Conversation; readonly clock: Clock },
): Promise<Run> {
  const { meter, sent } = deps.conversation;
  const request = await subject.request();
  const currentTokens = meter.current(request);
  const estimate = Math.max(1, meter.estimate(request));
  const sizeOf = (history: readonly Message[]): number => meter.sizeOf(sent.view(history, subject.target));
  const before = sizeOf(subject.history);
  return {
    ...wish,
    subject,
    startedAtMs: deps.clock.now(),
    tokenSource: meter.source,
    tokensWith: (history) => Math.round((currentTokens * (estimate - before + sizeOf(history))) / estimate),
    context: {
      currentTokens,
      mustShrink: wish.trigger === "error",
      isManual: wish.trigger === "manual",
      attempt: wish.attempt,
      signal: subject.signal,
      ...(wish.focusTopic === undefined ? {} : { focusTopic: wish.focusTopic }),
    },
  };
}

/** What came of a run, as far as its record needs it. */
export type Made = Pick<
  CompressOutcome,
  "messages" | "prunedResults" | "summaryStatus" | "summaryModel" | "summaryTokens"
> & {
  readonly tokensAfter: number;
  readonly messagesBefore?: number;
  readonly oldSessionId?: CompressionRecord["sessionId"];
  readonly newSessionId?: CompressionRecord["sessionId"];
  readonly changedLayers?: readonly string[];
};

export function recordOf(run: Run, made: Made, nowMs: number): CompressionRecord {
  const tokensBefore = run.context.currentTokens;
  const changedLayers = made.changedLayers ?? [];
  return {
    trigger: run.trigger,
    sessionId: made.oldSessionId ?? run.subject.sessionId,
    ...(made.newSessionId === undefined ? {} : { newSessionId: made.newSessionId }),
    messagesBefore: made.messagesBefore ?? made.messages.length,
    messagesAfter: made.messages.length,
    tokensBefore,
    tokensAfter: made.tokensAfter,
    tokenSource: run.tokenSource,
    savingsPct: savingsPct(tokensBefore, made.tokensAfter),
    prunedResults: made.prunedResults,
    ...(made.summaryModel === undefined ? {} : { summaryModel: made.summaryModel }),
    summaryStatus: made.summaryStatus,
    summaryTokens: made.summaryTokens,
    durationMs: nowMs - run.startedAtMs,
    isPromptReused: changedLayers.length === 0,
    changedLayers,
    ...(run.focusTopic === undefined ? {} : { focusTopic: run.focusTopic }),
    attempt: run.attempt,
  };
}
