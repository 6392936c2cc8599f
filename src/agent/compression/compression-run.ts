import type { Message, SessionId } from "#conversation";
import { describe } from "#foundation/errors";
import { quietly } from "#foundation/files/quietly";
import type { Clock } from "#foundation/time/clock";
import type { MeteredRequest } from "../turn/request/meter.ts";
import { type ApplyDeps, applyPruned, applySummarised, persistHistory, problemWith, type Subject } from "./apply.ts";
import {
  type CompressContext,
  type CompressOutcome,
  type ContextEngine,
  outcomeOf,
  type SummaryStatus,
  thresholdOf,
} from "./engine.ts";
import { fullestShare } from "./limits.ts";
import { criticalShare, notice, noticeTexts } from "./notices.ts";

export type CompressionTrigger = "preflight" | "in_loop" | "hygiene" | "error" | "manual";

export interface CompressionRequest {
  readonly trigger: CompressionTrigger;
  readonly attempt: number;
  readonly focusTopic?: string | undefined;
}

export interface RunDeps extends ApplyDeps {
  readonly engine: ContextEngine;
  readonly clock: Clock;
  /** A chance for the built-in memory to save. */
  flush?(history: readonly Message[], signal: AbortSignal): Promise<unknown>;
  /** What the memory provider wants kept. */
  insights?(history: readonly Message[], signal: AbortSignal): Promise<string | undefined>;
  /** The memory provider hears of the part of the session that ended. */
  partEnded?(history: readonly Message[], signal: AbortSignal): Promise<void>;
  onCompression?(record: CompressionRecord): void | Promise<void>;
}

export type CompressionResult =
  /** There is nothing that could be taken away. */
  | { readonly kind: "nothing" }
  /** It was tried, and the history stayed as it was. */
  | { readonly kind: "kept"; readonly why: string }
  | {
      readonly kind: "smaller";
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly isSplit: boolean;
    };

/** How one compression went: a row of `compression_events`. */
export interface CompressionRecord {
  readonly trigger: CompressionTrigger;
  readonly sessionId: SessionId;
  /** Absent when the session was not split. */
  readonly newSessionId?: SessionId | undefined;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly tokenSource: "measured" | "estimated";
  readonly savingsPct: number;
  readonly prunedResults: number;
  readonly summaryModel?: string | undefined;
  readonly summaryStatus: SummaryStatus;
  readonly summaryTokens: number;
  readonly durationMs: number;
  readonly isPromptReused: boolean;
  readonly changedLayers: readonly string[];
  readonly focusTopic?: string | undefined;
  readonly attempt: number;
}

const enoughShare = 0.8;
const enoughSavingPct = 20;
const worthwhileSavingPct = 10;

/**
 * One compression from beginning to end, in this order: store, save to memory, ask the provider what matters, let
 * the engine compress, check the result, refresh the prompt, split the session, measure anew, report.
 */
export class CompressionRun {
  readonly #subject: Subject;
  readonly #request: CompressionRequest;
  readonly #deps: RunDeps;
  readonly #startedAtMs: number;
  readonly #context: CompressContext;
  readonly #tokenSource: "measured" | "estimated";
  /** Tokens of the request with another history, by the measure that gave `context.currentTokens`. */
  readonly #tokensWith: (history: readonly Message[]) => number;
  /** What a finished run shows about the worth of compressing; undefined when it shows nothing. */
  saved: { readonly savingsPct: number; readonly tokens: number } | undefined;

  /** Measures the request as it is, and prepares to measure others by the same standard: savings compare like with like. */
  static async begin(subject: Subject, request: CompressionRequest, deps: RunDeps): Promise<CompressionRun> {
    return new CompressionRun(subject, request, { deps, metered: await subject.request() });
  }

  private constructor(
    subject: Subject,
    request: CompressionRequest,
    { deps, metered }: { readonly deps: RunDeps; readonly metered: MeteredRequest },
  ) {
    this.#subject = subject;
    this.#request = request;
    this.#deps = deps;
    this.#startedAtMs = deps.clock.now();
    const { meter, sent } = deps.conversation;
    const currentTokens = meter.current(metered);
    const estimate = Math.max(1, meter.estimate(metered));
    const sizeOf = (history: readonly Message[]): number => meter.sizeOf(sent.view(history, subject.target));
    const rest = estimate - sizeOf(subject.history);
    this.#tokensWith = (history) => Math.round((currentTokens * (rest + sizeOf(history))) / estimate);
    this.#tokenSource = meter.source;
    this.#context = {
      currentTokens,
      tokensWith: this.#tokensWith,
      mustShrink: request.trigger === "error",
      isManual: request.trigger === "manual",
      attempt: request.attempt,
      signal: subject.signal,
      focusTopic: request.focusTopic,
    };
  }

  async run(): Promise<CompressionResult> {
    const { engine } = this.#deps;
    const { trigger } = this.#request;
    const history = this.#shortHistory();
    const pruned = await engine.prune?.(history, this.#context);
    if (pruned?.kind === "pruned" && this.#isEnough(pruned)) return await this.#finishPruned(pruned);
    const mustWait = engine.isPaused?.() === true && trigger !== "manual" && !this.#isCritical();
    if (mustWait || engine.hasContentToCompress?.(history, this.#context) === false) {
      if (pruned?.kind === "pruned" && this.#isWorthwhile(pruned)) return await this.#finishPruned(pruned);
      return mustWait ? { kind: "kept", why: noticeTexts.summaryFailed } : { kind: "nothing" };
    }
    const tokensBefore = this.#context.currentTokens;
    let tokensAfter = tokensBefore;
    this.#subject.emit({ type: "compression-start", reason: trigger, tokens: tokensBefore });
    try {
      const result = await this.#compress();
      if (result.kind === "smaller") tokensAfter = result.tokensAfter;
      return result;
    } finally {
      this.#subject.emit({ type: "compression-end", tokensBefore, tokensAfter });
    }
  }

  /** Engines see results and calls as short as they are sent. */
  #shortHistory(): readonly Message[] {
    return this.#deps.conversation.sent.short(this.#subject.history);
  }

  /** Pruning alone will do: well below the threshold again, a third of the window is free, and it made a difference. */
  #isEnough(pruned: CompressOutcome): boolean {
    const { trigger } = this.#request;
    if (trigger === "manual") return false;
    const threshold = thresholdOf(this.#deps.engine);
    const { currentTokens } = this.#context;
    const after = this.#tokensWith(pruned.messages);
    const { contextWindow } = this.#subject.target.limits;
    if (after >= Math.min(enoughShare * threshold, fullestShare * contextWindow)) return false;
    if (currentTokens >= threshold) return true;
    return trigger === "error" && savingsPct(currentTokens, after) >= enoughSavingPct;
  }

  /** Every shortened message changes the beginning of the next request, which is then read anew: small gains cost more than they bring. */
  #isWorthwhile(pruned: CompressOutcome): boolean {
    const saved = savingsPct(this.#context.currentTokens, this.#tokensWith(pruned.messages));
    return this.#request.trigger === "error" ? saved > 0 : saved >= worthwhileSavingPct;
  }

  #isCritical(): boolean {
    const { mustShrink, currentTokens } = this.#context;
    return mustShrink || currentTokens >= criticalShare * this.#subject.target.limits.contextWindow;
  }

  async #compress(): Promise<CompressionResult> {
    const subject = this.#subject;
    const { signal } = subject;
    const { flush, insights: ask } = this.#deps;
    await persistHistory(subject, this.#deps);
    await this.#quietly("memory flush", () => flush?.(subject.history, signal));
    const insights = await this.#quietly("insights of the memory provider", () => ask?.(subject.history, signal));
    const context = insights === undefined || insights === "" ? this.#context : { ...this.#context, insights };
    const outcome = await this.#askEngine(context);
    if (outcome === undefined) return await this.#discard("the context engine failed");
    if (outcome.kind === "summarised") return await this.#finishSummarised(outcome);
    if (outcome.summaryStatus === "failed") notice(subject, "warn", noticeTexts.summaryFailed);
    if (outcome.kind === "pruned") return await this.#finishPruned(outcome);
    if (outcome.summaryStatus !== "failed") return { kind: "nothing" };
    await this.#report({ ...outcome, tokensAfter: this.#context.currentTokens });
    return { kind: "kept", why: noticeTexts.summaryFailed };
  }

  /** An engine may come from a plugin: what it throws ends the compression and not the turn. */
  async #askEngine(context: CompressContext): Promise<CompressOutcome | undefined> {
    const { engine, logger } = this.#deps;
    const history = this.#shortHistory();
    try {
      return outcomeOf(history, await engine.compress(history, context));
    } catch (error) {
      context.signal.throwIfAborted();
      const stack = error instanceof Error ? error.stack : undefined;
      logger.error("the context engine failed", { engine: engine.name, error: describe(error), stack });
      return undefined;
    }
  }

  async #finishPruned(pruned: CompressOutcome): Promise<CompressionResult> {
    const problem = problemWith(this.#subject.history, pruned.messages);
    if (problem !== undefined) return await this.#discard(problem);
    const tokensAfter = this.#tokensWith(pruned.messages);
    const messagesBefore = this.#subject.history.length;
    await applyPruned(this.#subject, pruned.messages, this.#deps);
    await this.#report({ ...pruned, tokensAfter, messagesBefore });
    // While the summariser fails, small savings say nothing about what a compression could do.
    if (this.#deps.engine.isPaused?.() !== true) this.#judge(tokensAfter);
    return { kind: "smaller", tokensBefore: this.#context.currentTokens, tokensAfter, isSplit: false };
  }

  async #finishSummarised(outcome: CompressOutcome): Promise<CompressionResult> {
    const subject = this.#subject;
    const before = subject.history;
    const oldSessionId = subject.sessionId;
    const tokensBefore = this.#context.currentTokens;
    const tokensAfter = this.#tokensWith(outcome.messages);
    const problem = problemWith(before, outcome.messages) ?? (tokensAfter < tokensBefore ? undefined : "it grew");
    if (problem !== undefined) return await this.#discard(problem);
    const applied = await applySummarised(subject, outcome, this.#deps);
    const isSplit = applied.newSessionId !== undefined;
    if (isSplit) await this.#quietly("end of the old part", () => this.#deps.partEnded?.(before, subject.signal));
    await this.#report({ ...outcome, ...applied, tokensAfter, messagesBefore: before.length, oldSessionId });
    if (outcome.summaryStatus === "local_extract") notice(subject, "warn", noticeTexts.extracted);
    const count = this.#deps.conversation.compressionCount;
    if (count >= 2) notice(subject, "warn", noticeTexts.repeated(count));
    this.#judge(tokensAfter);
    return { kind: "smaller", tokensBefore, tokensAfter, isSplit };
  }

  /** The result is not used; it counts as one that saved nothing. */
  async #discard(why: string): Promise<CompressionResult> {
    const { history, sessionId } = this.#subject;
    this.#deps.logger.warn("the result of a compression was discarded", { why, session: sessionId });
    const tokensAfter = this.#context.currentTokens;
    await this.#report({
      messages: history,
      prunedResults: 0,
      summaryTokens: 0,
      tokensAfter,
      summaryStatus: "failed",
    });
    this.#judge(tokensAfter);
    return { kind: "kept", why };
  }

  #judge(tokensAfter: number): void {
    this.saved = { savingsPct: savingsPct(this.#context.currentTokens, tokensAfter), tokens: tokensAfter };
  }

  async #report(finished: Finished): Promise<void> {
    const record = this.#recordOf(finished);
    this.#deps.logger.info("context compressed", logFields(record));
    await this.#quietly("record of a compression", () => this.#deps.onCompression?.(record));
  }

  #recordOf(finished: Finished): CompressionRecord {
    const { currentTokens: tokensBefore } = this.#context;
    const { trigger, focusTopic, attempt } = this.#request;
    const { messages, tokensAfter, changedLayers = [] } = finished;
    return {
      trigger,
      sessionId: finished.oldSessionId ?? this.#subject.sessionId,
      newSessionId: finished.newSessionId,
      messagesBefore: finished.messagesBefore ?? messages.length,
      messagesAfter: messages.length,
      tokensBefore,
      tokensAfter,
      tokenSource: this.#tokenSource,
      savingsPct: savingsPct(tokensBefore, tokensAfter),
      prunedResults: finished.prunedResults,
      summaryModel: finished.summaryModel,
      summaryStatus: finished.summaryStatus,
      summaryTokens: finished.summaryTokens,
      durationMs: this.#deps.clock.now() - this.#startedAtMs,
      isPromptReused: changedLayers.length === 0,
      changedLayers,
      focusTopic,
      attempt,
    };
  }

  /** Whoever is told or asked besides may fail; the compression goes on. */
  #quietly<T>(what: string, work: () => T | Promise<T>): Promise<T | undefined> {
    return quietly(what, work, { logger: this.#deps.logger, signal: this.#subject.signal });
  }
}

/** What came of a run, as far as its record needs it. */
type Finished = Pick<
  CompressOutcome,
  "messages" | "prunedResults" | "summaryStatus" | "summaryModel" | "summaryTokens"
> & {
  readonly tokensAfter: number;
  readonly messagesBefore?: number;
  readonly oldSessionId?: SessionId;
  readonly newSessionId?: SessionId | undefined;
  readonly changedLayers?: readonly string[];
};

/** A record under the names that are written to the log (`isPromptReused` is `prompt_reused`); what is absent is null. */
function logFields(record: CompressionRecord): Readonly<Record<string, unknown>> {
  const named = Object.entries(record).map(([name, value]: [string, unknown]) => [
    name
      .replace(/^is(?=[A-Z])/, "")
      .replace(/[A-Z]/g, (letter, at: number) => `${at > 0 ? "_" : ""}${letter.toLowerCase()}`),
    value ?? null,
  ]);
  return Object.fromEntries(named);
}

/** Percent saved, with one decimal; negative when it grew. */
function savingsPct(before: number, after: number): number {
  return before <= 0 ? 0 : Math.round((1000 * (before - after)) / before) / 10;
}
