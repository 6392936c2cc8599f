import { type Message, promptTokens, textOf, totalTokens, type Usage } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { shortWindow } from "#foundation/text/figures";
import type { Clock } from "#foundation/time/clock";
import { compressionThreshold, estimateMessage, estimateText } from "#model";
import type { TodoItem } from "#tools";
import type { CompressContext, CompressOutcome, ContextEngine, EngineModel } from "./engine.ts";
import { extractLocally } from "./extract.ts";
import { type CompressionLimits, type CompressionSettings, limitsFor, lowered, tightened } from "./limits.ts";
import { assemble, latestRequest, type Plan, planCompression } from "./plan.ts";
import { type Pruned, prune } from "./prune.ts";
import { type Summarise, Summarizer, type Summary, type SummaryModel } from "./summarizer.ts";
import { type ElidedSpan, findSummary, renderSummary, taskLines } from "./summary-message.ts";
import { serializeRegion } from "./summary-prompt.ts";

export interface CompressorDeps {
  readonly settings: CompressionSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly summarise: Summarise;
  redact(text: string): string;
  /** The model summaries would be written by; undefined when nothing is known about it. */
  summaryModel?(): SummaryModel | undefined;
  todos(): readonly TodoItem[];
  /** The agent has the tool that reads messages again. */
  canRecall(): boolean;
  /** A line for the user. */
  warn(text: string): void;
}

export const compressorName = "compressor";

/** Above this share of the window history cannot simply be kept until the summariser works again. */
const criticalShare = 0.95;
const smallestBudget = 2_000;
const regionShare = 0.2;
/** A summary model with less than this cannot follow a long session. */
const smallestReader = 64_000;

const unknownModel: EngineModel = { model: "", provider: "", baseUrl: "", apiMode: "", contextLength: 128_000 };

type Region = Extract<Plan, { kind: "compress" }>;

/**
 * The default engine: shortens old tool results, then has everything between the first messages and the latest
 * ones summarised. When no summary can be had it keeps the history; when there is no room for that either, an
 * extract made by rule takes the place of the summary. The last summary is read from the history itself, so a
 * resumed session continues it.
 */
export class Compressor implements ContextEngine {
  readonly name = compressorName;
  readonly thresholdPercent: number;
  readonly #deps: CompressorDeps;
  readonly #summarizer: Summarizer;
  readonly #told = new Set<string>();
  #model: EngineModel;
  #limits: CompressionLimits;
  #readsWithMain = false;
  lastPromptTokens = 0;
  lastCompletionTokens = 0;
  lastTotalTokens = 0;
  compressionCount = 0;

  /** The model is told again before each use; until then an ordinary window is assumed. */
  constructor(deps: CompressorDeps, model: EngineModel = unknownModel) {
    this.#deps = deps;
    this.#summarizer = new Summarizer(deps);
    this.thresholdPercent = deps.settings.threshold;
    this.#model = model;
    this.#limits = this.#limitsFor(model);
  }

  get thresholdTokens(): number {
    return this.#limits.thresholdTokens;
  }

  get contextLength(): number {
    return this.#limits.window;
  }

  isPaused(): boolean {
    return this.#summarizer.isPaused;
  }

  updateFromResponse(usage: Usage): void {
    this.lastPromptTokens = promptTokens(usage);
    this.lastCompletionTokens = usage.output;
    this.lastTotalTokens = totalTokens(usage);
  }

  shouldCompress(tokens = this.lastPromptTokens): boolean {
    return this.#deps.settings.isEnabled && tokens >= this.thresholdTokens;
  }

  hasContentToCompress(messages: readonly Message[], context?: CompressContext): boolean {
    const limits = context === undefined ? this.#limits : this.#limitsNow(context);
    return this.#plan(messages, limits).kind === "compress";
  }

  updateModel(model: EngineModel): void {
    const isOther = model.model !== this.#model.model || model.provider !== this.#model.provider;
    this.#model = model;
    if (isOther) this.#summarizer.reset();
    this.#limits = this.#limitsFor(model);
  }

  prune(messages: readonly Message[], context: CompressContext): CompressOutcome {
    return pruneOutcome(this.#prune(messages, this.#limitsNow(context)));
  }

  async compress(messages: readonly Message[], context: CompressContext): Promise<CompressOutcome> {
    const limits = this.#limitsNow(context);
    const pruned = this.#prune(messages, limits);
    const plan = this.#plan(messages, limits);
    if (plan.kind === "nothing") return pruneOutcome(pruned);
    const region = messages.slice(plan.start, plan.end);
    const summary = await this.#write(messages, plan, context);
    if (summary.kind === "summary") {
      const { text, status, model } = summary;
      return this.#assemble({ messages, pruned, plan }, { body: text, status, model });
    }
    const isCritical = context.mustShrink || context.currentTokens >= criticalShare * limits.window;
    if (!isCritical) {
      const summaryStatus = summary.kind === "failed" ? "failed" : "skipped";
      return { ...pruneOutcome(pruned), summaryStatus };
    }
    const body = extractLocally({
      region,
      previous: previousIn(region),
      latestRequest: requestText(messages),
      redact: this.#deps.redact,
    });
    return this.#assemble({ messages, pruned, plan }, { body, status: "local_extract" });
  }

  #write(messages: readonly Message[], plan: Region, context: CompressContext): Promise<Summary> {
    const region = messages.slice(plan.start, plan.end);
    const blocks = serializeRegion(region, this.#deps.redact);
    const regionTokens = blocks.reduce((sum, block) => sum + estimateText(block), 0);
    const budgetTokens = Math.max(
      smallestBudget,
      Math.min(Math.floor(regionShare * regionTokens), this.#limits.maxSummary),
    );
    const reader = this.#deps.summaryModel?.();
    return this.#summarizer.write(
      {
        blocks,
        previous: previousIn(region),
        focusTopic: context.focusTopic,
        insights: context.insights,
        latestRequest: requestText(messages),
        budgetTokens,
        readerWindow: this.#readsWithMain ? this.#limits.window : reader?.contextWindow,
        useMainModel: this.#readsWithMain,
        ignorePause: context.isManual,
      },
      context.signal,
    );
  }

  #assemble(
    {
      messages,
      pruned,
      plan,
    }: { readonly messages: readonly Message[]; readonly pruned: Pruned; readonly plan: Region },
    made: {
      readonly body: string;
      readonly status: CompressOutcome["summaryStatus"];
      readonly model?: string;
    },
  ): CompressOutcome {
    const span = elidedSpan(messages.slice(plan.start, plan.end));
    const summary = renderSummary({
      body: made.body,
      openTasks: taskLines(this.#deps.todos()).map((line) => this.#deps.redact(line)),
      span,
      canRecall: this.#deps.canRecall(),
    });
    const timestamp = this.#deps.clock.now() / 1000;
    const compressed = assemble({ messages: pruned.messages, plan, summary, timestamp });
    this.compressionCount += 1;
    return {
      messages: compressed,
      kind: "summarised",
      prunedResults: pruned.prunedResults,
      summaryStatus: made.status,
      summaryTokens: estimateText(summary),
      summaryModel: made.model,
    };
  }

  #plan(messages: readonly Message[], limits: CompressionLimits): Plan {
    return planCompression(messages, { limits, sizeOf: estimateMessage });
  }

  #prune(messages: readonly Message[], limits: CompressionLimits): Pruned {
    return prune(messages, { limits, sizeOf: estimateMessage, canRecall: this.#deps.canRecall() });
  }

  #limitsNow(context: CompressContext): CompressionLimits {
    return context.mustShrink ? tightened(this.#limits, context.attempt, context.currentTokens) : this.#limits;
  }

  /** A summary model with a small window lowers the threshold of the session; one with a very small window is not used. */
  #limitsFor(model: EngineModel): CompressionLimits {
    const limits = limitsFor(model.contextLength, this.#deps.settings);
    const reader = this.#deps.summaryModel?.();
    this.#readsWithMain = false;
    if (reader === undefined || reader.isMain || reader.contextWindow >= limits.thresholdTokens) return limits;
    if (reader.contextWindow < smallestReader) {
      this.#readsWithMain = true;
      this.#tell(
        `${reader.model} reads only ${shortWindow(reader.contextWindow)} tokens, too few to summarise this session; ${model.model} writes the summaries instead.`,
      );
      return limits;
    }
    const { thresholdTokens, warning } = compressionThreshold({
      thresholdTokens: limits.thresholdTokens,
      compressionWindow: reader.contextWindow,
      compressionModel: reader.model,
    });
    if (warning !== undefined) this.#tell(warning);
    return lowered(limits, thresholdTokens, this.#deps.settings.targetRatio);
  }

  #tell(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#deps.warn(text);
  }
}

function pruneOutcome({ messages, prunedResults, shortenedCalls }: Pruned): CompressOutcome {
  const kind = prunedResults + shortenedCalls > 0 ? "pruned" : "unchanged";
  return { messages, kind, prunedResults, summaryStatus: "skipped", summaryTokens: 0 };
}

function requestText(messages: readonly Message[]): string | undefined {
  const index = latestRequest(messages);
  const message = index === undefined ? undefined : messages[index];
  return message === undefined ? undefined : (findSummary(message)?.rest ?? textOf(message.content));
}

/** What earlier compressions wrote. */
function previousIn(region: readonly Message[]): string | undefined {
  const bodies = region.flatMap((message) => findSummary(message)?.body ?? []).filter((body) => body !== "");
  return bodies.length === 0 ? undefined : bodies.join("\n\n");
}

/** From the first message that any summary took away to the last one this one takes. */
function elidedSpan(region: readonly Message[]): ElidedSpan | undefined {
  const earlier = region.flatMap((message) => findSummary(message)?.span ?? []);
  const uids = region.flatMap((message) => {
    const isSummary = findSummary(message)?.rest === "";
    return isSummary || message.uid === undefined ? [] : [message.uid];
  });
  const first = earlier[0]?.first ?? uids[0];
  const last = uids.at(-1) ?? earlier.at(-1)?.last;
  if (first === undefined || last === undefined) return undefined;
  return { first, last, count: earlier.reduce((sum, span) => sum + span.count, 0) + uids.length };
}
