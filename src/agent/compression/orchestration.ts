import type { Message, NoticeLevel } from "#conversation";
import { describe } from "#foundation/errors";
import type { Clock } from "#foundation/time/clock";
import type { Target } from "#model";
import { type ApplyDeps, applyPruned, applySummarised, persistHistory } from "./apply.ts";
import { problemWith } from "./check.ts";
import { type CompressContext, type CompressOutcome, type ContextEngine, outcomeOf, thresholdOf } from "./engine.ts";
import { guarded } from "./guarded.ts";
import { noticeTexts } from "./notices.ts";
import { type CompressionRecord, logFields, savingsPct } from "./record.ts";
import { beginRun, type Made, type Run, recordOf, type Wish } from "./run.ts";
import type { Subject } from "./subject.ts";
import type { Thrashing } from "./thrashing.ts";

export interface OrchestrationDeps extends ApplyDeps {
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

const enoughShare = 0.8;
const enoughSavingPct = 20;
const worthwhileSavingPct = 10;
export const criticalShare = 0.95;

/**
 * One compression from beginning to end, in this order: store, save to memory, ask the provider what matters, let
 * the engine compress, check the result, refresh the prompt, split the session, measure anew, report.
 */
export class Orchestration {
  readonly #deps: OrchestrationDeps;
  readonly #thrashing: Thrashing;

  constructor(deps: OrchestrationDeps, thrashing: Thrashing) {
    this.#deps = deps;
    this.#thrashing = thrashing;
  }

  async run(subject: Subject, wish: Wish): Promise<CompressionResult> {
    const { engine } = this.#deps;
    const run = await beginRun(subject, wish, this.#deps);
    const history = this.#short(run);
    const pruned = engine.prune?.(history, run.context);
    if (pruned?.kind === "pruned" && this.#isEnough(run, pruned)) return await this.#finishPruned(run, pruned);
    const mustWait = engine.isPaused?.() === true && wish.trigger !== "manual" && !this.#isCritical(run);
    if (mustWait || engine.hasContentToCompress?.(history, run.context) === false) {
      if (pruned?.kind === "pruned" && isWorthwhile(run, pruned)) return await this.#finishPruned(run, pruned);
      return mustWait ? { kind: "kept", why: noticeTexts.summaryFailed } : { kind: "nothing" };
    }
    let tokensAfter = run.context.currentTokens;
    subject.emit({ type: "compression-start", reason: wish.trigger, tokens: run.context.currentTokens });
    try {
      const result = await this.#compress(run);
      if (result.kind === "smaller") tokensAfter = result.tokensAfter;
      return result;
    } finally {
      subject.emit({ type: "compression-end", tokensBefore: run.context.currentTokens, tokensAfter });
    }
  }

  /** Engines see results and calls as short as they are sent. */
  #short({ subject }: Run): readonly Message[] {
    return this.#deps.conversation.sent.short(subject.history);
  }

  /** Pruning alone will do: well below the threshold again, and it made a difference. */
  #isEnough(run: Run, pruned: CompressOutcome): boolean {
    if (run.trigger === "manual") return false;
    const threshold = thresholdOf(this.#deps.engine);
    const { currentTokens } = run.context;
    const after = run.tokensWith(pruned.messages);
    if (after >= enoughShare * threshold) return false;
    if (currentTokens >= threshold) return true;
    return run.trigger === "error" && savingsPct(currentTokens, after) >= enoughSavingPct;
  }

  #isCritical({ context, subject }: Run): boolean {
    return context.mustShrink || context.currentTokens >= criticalShare * subject.target.limits.contextWindow;
  }

  async #compress(run: Run): Promise<CompressionResult> {
    const { subject } = run;
    const { signal } = subject;
    await persistHistory(subject, this.#deps);
    await this.#guarded("memory flush", () => this.#deps.flush?.(subject.history, signal), signal);
    const insights = await this.#guarded(
      "insights of the memory provider",
      () => this.#deps.insights?.(subject.history, signal),
      signal,
    );
    const context = insights === undefined || insights === "" ? run.context : { ...run.context, insights };
    const outcome = await this.#askEngine(this.#short(run), context);
    if (outcome === undefined) return await this.#discard(run, "the context engine failed");
    if (outcome.kind === "summarised") return await this.#finishSummarised(run, outcome);
    if (outcome.summaryStatus === "failed") notice(subject, "warn", noticeTexts.summaryFailed);
    if (outcome.kind === "pruned") return await this.#finishPruned(run, outcome);
    if (outcome.summaryStatus !== "failed") return { kind: "nothing" };
    await this.#report(run, { ...outcome, tokensAfter: run.context.currentTokens });
    return { kind: "kept", why: noticeTexts.summaryFailed };
  }

  /** An engine may come from a plugin: what it throws ends the compression and not the turn. */
  async #askEngine(history: readonly Message[], context: CompressContext): Promise<CompressOutcome | undefined> {
    try {
      return outcomeOf(history, await this.#deps.engine.compress(history, context));
    } catch (error) {
      context.signal.throwIfAborted();
      this.#deps.logger.error("the context engine failed", {
        engine: this.#deps.engine.name,
        error: describe(error),
        stack: error instanceof Error ? error.stack : undefined,
      });
      return undefined;
    }
  }

  async #finishPruned(run: Run, pruned: CompressOutcome): Promise<CompressionResult> {
    const problem = problemWith(run.subject.history, pruned.messages);
    if (problem !== undefined) return await this.#discard(run, problem);
    const tokensAfter = run.tokensWith(pruned.messages);
    const messagesBefore = run.subject.history.length;
    await applyPruned(run.subject, pruned.messages, this.#deps);
    await this.#report(run, { ...pruned, tokensAfter, messagesBefore });
    // While the summariser fails, small savings say nothing about what a compression could do.
    if (this.#deps.engine.isPaused?.() !== true) this.#judge(run, tokensAfter);
    return { kind: "smaller", tokensBefore: run.context.currentTokens, tokensAfter, isSplit: false };
  }

  async #finishSummarised(run: Run, outcome: CompressOutcome): Promise<CompressionResult> {
    const { subject } = run;
    const before = subject.history;
    const oldSessionId = subject.sessionId;
    const tokensBefore = run.context.currentTokens;
    const tokensAfter = run.tokensWith(outcome.messages);
    const problem = problemWith(before, outcome.messages) ?? (tokensAfter < tokensBefore ? undefined : "it grew");
    if (problem !== undefined) return await this.#discard(run, problem);
    const applied = await applySummarised(subject, outcome, this.#deps);
    const { newSessionId } = applied;
    if (newSessionId !== undefined)
      await this.#guarded("end of the old part", () => this.#deps.partEnded?.(before, subject.signal), subject.signal);
    await this.#report(run, { ...outcome, ...applied, tokensAfter, messagesBefore: before.length, oldSessionId });
    if (outcome.summaryStatus === "local_extract") notice(subject, "warn", noticeTexts.extracted);
    const count = this.#deps.conversation.compressionCount;
    if (count >= 2) notice(subject, "warn", noticeTexts.repeated(count));
    this.#judge(run, tokensAfter);
    return { kind: "smaller", tokensBefore, tokensAfter, isSplit: newSessionId !== undefined };
  }

  /** The result is not used; it counts as one that saved nothing. */
  async #discard(run: Run, why: string): Promise<CompressionResult> {
    this.#deps.logger.warn("the result of a compression was discarded", { why, session: run.subject.sessionId });
    const tokens = run.context.currentTokens;
    const unchanged = { messages: run.subject.history, prunedResults: 0, summaryTokens: 0, tokensAfter: tokens };
    await this.#report(run, { ...unchanged, summaryStatus: "failed" });
    this.#judge(run, tokens);
    return { kind: "kept", why };
  }

  #judge(run: Run, tokensAfter: number): void {
    const saved = {
      savingsPct: savingsPct(run.context.currentTokens, tokensAfter),
      tokens: tokensAfter,
      model: keyOf(run.subject.target),
    };
    if (this.#thrashing.note(saved)) notice(run.subject, "warn", noticeTexts.suspended);
  }

  async #report(run: Run, made: Made): Promise<void> {
    const record = recordOf(run, made, this.#deps.clock.now());
    this.#deps.logger.info("context compressed", logFields(record));
    await this.#guarded("record of a compression", async () => this.#deps.onCompression?.(record), run.subject.signal);
  }

  /** Whoever is told or asked besides may fail; the compression goes on. */
  #guarded<T>(what: string, work: () => Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
    return guarded(what, work, { logger: this.#deps.logger, signal });
  }
}

/** Every shortened message changes the beginning of the next request, which is then read anew: small gains cost more than they bring. */
function isWorthwhile(run: Run, pruned: CompressOutcome): boolean {
  const saved = savingsPct(run.context.currentTokens, run.tokensWith(pruned.messages));
  return run.trigger === "error" ? saved > 0 : saved >= worthwhileSavingPct;
}

export function notice(subject: Subject, level: NoticeLevel, text: string): void {
  subject.emit({ type: "notice", level, text });
}

export function keyOf(target: Target): string {
  return `${target.provider}/${target.model}`;
}
