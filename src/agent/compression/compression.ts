import type { AgentEvent, Message, NoticeLevel, ToolDefinition, Usage } from "#conversation";
import type { Clock } from "#foundation/clock";
import { describe } from "#foundation/errors";
import type { Target } from "#model";
import type { MeteredRequest } from "../meter.ts";
import { type ApplyDeps, applyPruned, applySummarised, persistHistory } from "./apply.ts";
import { problemWith } from "./check.ts";
import {
  type CompressContext,
  type CompressOutcome,
  type ContextEngine,
  type EngineModel,
  type EngineStatus,
  engineModel,
  isSameModel,
  outcomeOf,
  statusOf,
  thresholdOf,
} from "./engine.ts";
import { noticeTexts } from "./notices.ts";
import { Originals } from "./originals.ts";
import { type CompressionRecord, logFields, savingsPct } from "./record.ts";
import { beginRun, type Made, type Run, recordOf, type Wish } from "./run.ts";
import { idleSubject, type Subject } from "./subject.ts";
import { Thrashing } from "./thrashing.ts";

export interface CompressionDeps extends Omit<ApplyDeps, "originals"> {
  readonly engine: ContextEngine;
  /** `compression.enabled`; a person may compress all the same. */
  readonly isEnabled: boolean;
  readonly clock: Clock;
  /** What the model is offered, for measuring between turns. */
  tools(): readonly ToolDefinition[];
  readonly prefill?: readonly Message[];
  /** Events between turns; during a turn they go through the turn. */
  emit(event: AgentEvent): void;
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
const criticalShare = 0.95;
const noticeShare = 0.85;
const hygieneShare = 0.85;
const hygieneMessages = 400;
const smallestHygiene = 4;
const preflightPasses = 3;
const tightestAttempt = 3;

/**
 * Keeps one conversation within its window. Holds what has to be remembered between compressions, and does what
 * surrounds them in this order: store, save to memory, ask the provider what matters, let the engine compress,
 * check the result, refresh the prompt, split the session, measure anew, report.
 */
export class Compression {
  readonly #deps: CompressionDeps;
  readonly #apply: ApplyDeps;
  readonly #thrashing = new Thrashing();
  #told: EngineModel | undefined;
  #isNoticeArmed = true;

  constructor(deps: CompressionDeps) {
    this.#deps = deps;
    this.#apply = { ...deps, originals: new Originals() };
  }

  get status(): EngineStatus {
    return statusOf(this.#deps.engine);
  }

  /** After every answer of the model. */
  observe(usage: Usage): void {
    this.#deps.engine.updateFromResponse(usage);
  }

  /** A session is opened with this engine. */
  async start(signal: AbortSignal): Promise<void> {
    const { engine, conversation } = this.#deps;
    const session = { model: engineModel(conversation.target) };
    await this.#guarded("context engine", async () => engine.onSessionStart?.(conversation.sessionId, session), signal);
  }

  /** The session really ends; a split by compression is no end. */
  async end(signal: AbortSignal): Promise<void> {
    const { engine, conversation } = this.#deps;
    const { sessionId, history } = conversation;
    await this.#guarded("context engine", async () => engine.onSessionEnd?.(sessionId, history), signal);
  }

  /** Another conversation begins in the same place. */
  reset(): void {
    this.#thrashing.reset();
    this.#isNoticeArmed = true;
    this.#deps.engine.onSessionReset?.();
  }

  /** Compresses when the threshold is reached: up to three times before a turn, once between its steps. */
  async fit(subject: Subject, moment: "preflight" | "step"): Promise<void> {
    const { engine, isEnabled } = this.#deps;
    if (!isEnabled) return;
    this.#tellModel(subject.target);
    const passes = moment === "preflight" ? preflightPasses : 1;
    for (let attempt = 1; attempt <= passes; attempt += 1) {
      const tokens = await this.#tokens(subject);
      this.#noticeNearThreshold(subject, tokens);
      const isEarly = attempt === 1 && moment === "preflight" && engine.shouldCompressPreflight?.(subject.history);
      if (!engine.shouldCompress(tokens) && isEarly !== true) return;
      if (this.#thrashing.blocks({ tokens, model: keyOf(subject.target) })) return;
      const trigger = moment === "preflight" ? "preflight" : "in_loop";
      if ((await this.#run(subject, { trigger, attempt })).kind !== "smaller") return;
    }
  }

  /** The provider refused the size. True when the history is smaller now; what does not help is tried again keeping less. */
  async relieve(subject: Subject, attempt: number): Promise<boolean> {
    if (!this.#deps.isEnabled) return false;
    this.#tellModel(subject.target);
    for (let tightness = attempt; tightness <= Math.max(attempt, tightestAttempt); tightness += 1)
      if ((await this.#run(subject, { trigger: "error", attempt: tightness })).kind === "smaller") return true;
    return false;
  }

  /** `/compress [topic]`. Only between turns. */
  async compressNow(focusTopic: string | undefined, signal: AbortSignal): Promise<CompressionResult> {
    const subject = this.#idle(signal);
    this.#tellModel(subject.target);
    const topic = focusTopic?.trim() ?? "";
    return await this.#run(subject, {
      trigger: "manual",
      attempt: 1,
      ...(topic === "" ? {} : { focusTopic: topic }),
    });
  }

  /** Between turns, where nobody watches (gateway): keeps a long-lived conversation usable. */
  async tidy(signal: AbortSignal): Promise<CompressionResult> {
    const subject = this.#idle(signal);
    const { history, target } = subject;
    if (!this.#deps.isEnabled || history.length < smallestHygiene) return { kind: "nothing" };
    this.#tellModel(target);
    const window = target.limits.contextWindow;
    const tokens = await this.#tokens(subject);
    if (tokens < hygieneShare * window && history.length < hygieneMessages) return { kind: "nothing" };
    if (this.#thrashing.blocks({ tokens, model: keyOf(target) })) return { kind: "nothing" };
    const result = await this.#run(subject, { trigger: "hygiene", attempt: 1 });
    const after = await this.#tokens(subject);
    if (after >= criticalShare * window)
      notice(subject, "warn", noticeTexts.stillFull(Math.round((100 * after) / window)));
    return result;
  }

  async #run(subject: Subject, wish: Wish): Promise<CompressionResult> {
    const { engine } = this.#deps;
    const run = await beginRun(subject, wish, this.#deps);
    const pruned = engine.prune?.(subject.history, run.context);
    if (pruned?.kind === "pruned" && this.#isEnough(run, pruned)) return await this.#finishPruned(run, pruned);
    const mustWait = engine.isPaused?.() === true && wish.trigger !== "manual" && !this.#isCritical(run);
    if (mustWait || engine.hasContentToCompress?.(subject.history, run.context) === false) {
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
    await persistHistory(subject, this.#apply);
    await this.#guarded("memory flush", () => this.#deps.flush?.(subject.history, signal), signal);
    const insights = await this.#guarded(
      "insights of the memory provider",
      () => this.#deps.insights?.(subject.history, signal),
      signal,
    );
    const context = insights === undefined || insights === "" ? run.context : { ...run.context, insights };
    const outcome = await this.#askEngine(subject.history, context);
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
    applyPruned(run.subject, pruned.messages, this.#apply);
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
    const applied = await applySummarised(subject, outcome, this.#apply);
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
  async #guarded<T>(what: string, work: () => Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      this.#deps.logger.warn(`${what} failed`, { error: describe(error) });
      return undefined;
    }
  }

  async #tokens(subject: Subject): Promise<number> {
    return this.#deps.conversation.meter.current(await subject.request());
  }

  #noticeNearThreshold(subject: Subject, tokens: number): void {
    const threshold = thresholdOf(this.#deps.engine);
    const isNear = tokens >= noticeShare * threshold;
    if (isNear && this.#isNoticeArmed && tokens < threshold)
      notice(subject, "info", noticeTexts.nearThreshold(tokens, threshold));
    this.#isNoticeArmed = !isNear;
  }

  /** Thresholds follow the model in use and what is known about its window. */
  #tellModel(target: Target): void {
    const told = engineModel(target);
    const isSame = this.#told !== undefined && isSameModel(this.#told, told);
    if (isSame) return;
    this.#told = told;
    this.#deps.engine.updateModel?.(told);
  }

  #idle(signal: AbortSignal): Subject {
    const { conversation, prompt, prefill, emit } = this.#deps;
    const request = async (): Promise<MeteredRequest> => ({
      system: await prompt.text(),
      tools: this.#deps.tools(),
      messages: [...(prefill ?? []), ...conversation.sent.view(conversation.history, conversation.target)],
    });
    return idleSubject(conversation, { signal, emit, request });
  }
}

/** Every shortened message changes the beginning of the next request, which is then read anew: small gains cost more than they bring. */
function isWorthwhile(run: Run, pruned: CompressOutcome): boolean {
  const saved = savingsPct(run.context.currentTokens, run.tokensWith(pruned.messages));
  return run.trigger === "error" ? saved > 0 : saved >= worthwhileSavingPct;
}

function notice(subject: Subject, level: NoticeLevel, text: string): void {
  subject.emit({ type: "notice", level, text });
}

function keyOf(target: Target): string {
  return `${target.provider}/${target.model}`;
}
