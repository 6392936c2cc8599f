import { type Message, promptTokens, type TodoItem, textOf, totalTokens, type Usage } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { shortWindow } from "#foundation/text/figures";
import type { Clock } from "#foundation/time/clock";
import { compressionThreshold, estimateMessage, estimateText } from "#model";
import type { Tool } from "#tools";
import {
  type ElidedSpan,
  findSummary,
  isSummaryOnly,
  latestRequest,
  renderSummary,
  taskLines,
} from "../summary-message.ts";
import type { CompressContext, CompressOutcome, ContextEngine, EngineModel } from "./engine.ts";
import { type ExcerptOptions, withExcerpts } from "./excerpt.ts";
import { extractLocally } from "./extract.ts";
import {
  type CompressionLimits,
  type CompressionSettings,
  fitted,
  fullestShare,
  limitsFor,
  lowered,
  tightened,
} from "./limits.ts";
import { assemble, headSize, type Plan, planCompression } from "./plan.ts";
import { type Pruned, prune, unreadFrom } from "./prune.ts";
import { recallToolName } from "./recall-tool.ts";
import { type Summarise, Summarizer, type Summary, type SummaryModel } from "./summarizer.ts";
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
  /** Those the agent has; they say what becomes of their results when room is needed. */
  tools(): ReadonlyMap<string, Tool>;
  /** The agent has the tool that reads messages again. */
  canRecall(): boolean;
  /** Keeps a long text in a file the agent can read; gives its path, or undefined where that failed. */
  keepText(id: string, text: string): Promise<string | undefined>;
  /** A line for the user. */
  warn(text: string): void;
}

const compressorName = "compressor";

/** Above this share of the window history cannot simply be kept until the summariser works again. */
const criticalShare = 0.95;
const regionShare = 0.2;
const charactersPerToken = 4;
/** From here on the user is told why so little room is left. */
const crowdedShare = 0.5;
/** A summary model with less than this cannot follow a long session. */
const smallestReader = 64_000;

const unknownModel: EngineModel = { model: "", provider: "", baseUrl: "", apiMode: "", contextLength: 128_000 };

/** One compression: what it works on and within which limits. */
interface Frame {
  readonly messages: readonly Message[];
  readonly pruned: Pruned;
  readonly plan: Extract<Plan, { kind: "compress" }>;
  readonly limits: CompressionLimits;
  readonly context: CompressContext;
}

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
    this.#limits = this.#limitsOf(model);
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

  hasContentToCompress(messages: readonly Message[], context: CompressContext): boolean {
    return this.#plan(messages, this.#limitsFor(messages, context)).kind === "compress";
  }

  updateModel(model: EngineModel): void {
    const isOther = model.model !== this.#model.model || model.provider !== this.#model.provider;
    this.#model = model;
    if (isOther) this.#summarizer.reset();
    this.#limits = this.#limitsOf(model);
  }

  /**
   * Besides, where room is scarce, results the model has not read yet go on as excerpts: no request held them, so that
   * no server has to read anything again. Where there is nothing to summarise, other long messages do too.
   */
  async prune(messages: readonly Message[], context: CompressContext): Promise<CompressOutcome> {
    const limits = this.#limitsFor(messages, context);
    const outcome = pruneOutcome(this.#prune(messages, limits));
    const isLast = this.#plan(messages, limits).kind === "nothing";
    if (!isLast && limits.longestKept === Number.POSITIVE_INFINITY) return outcome;
    const unread = { from: unreadFrom(messages), shortest: charactersPerToken * limits.longestKept };
    const frame = { limits, context, ...(isLast ? {} : unread) };
    const shorter = await this.#shrink(outcome.messages, (kept) => kept, frame);
    return shorter === outcome.messages ? outcome : { ...outcome, messages: shorter, kind: "pruned" };
  }

  async compress(messages: readonly Message[], context: CompressContext): Promise<CompressOutcome> {
    const limits = this.#limitsFor(messages, context);
    const pruned = this.#prune(messages, limits);
    const plan = this.#plan(messages, limits);
    if (plan.kind === "nothing") return pruneOutcome(pruned);
    const region = messages.slice(plan.start, plan.end);
    const frame = { messages, pruned, plan, limits, context };
    const summary = await this.#write(frame);
    if (summary.kind === "summary") {
      const { text, status, model } = summary;
      return await this.#assemble(frame, { body: text, status, model });
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
      maxTokens: limits.maxExtract,
      tools: this.#deps.tools(),
    });
    return await this.#assemble(frame, { body, status: "local_extract" });
  }

  #write({ messages, plan, limits, context }: Frame): Promise<Summary> {
    const region = messages.slice(plan.start, plan.end);
    const blocks = serializeRegion(region, this.#deps.redact);
    const regionTokens = blocks.reduce((sum, block) => sum + estimateText(block), 0);
    const { smallestSummary, maxSummary } = limits;
    const budgetTokens = Math.max(smallestSummary, Math.min(Math.floor(regionShare * regionTokens), maxSummary));
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

  async #assemble(
    frame: Frame,
    written: {
      readonly body: string;
      readonly status: CompressOutcome["summaryStatus"];
      readonly model?: string;
    },
  ): Promise<CompressOutcome> {
    const { messages, pruned, plan } = frame;
    const summary = renderSummary({
      body: written.body,
      openTasks: taskLines(this.#deps.todos()).map((line) => this.#deps.redact(line)),
      span: elidedSpan(messages.slice(plan.start, plan.end)),
      canRecall: this.#deps.canRecall(),
    });
    const timestamp = this.#deps.clock.now() / 1000;
    const around = (kept: readonly Message[]) => assemble({ messages: kept, plan, summary, timestamp });
    const kept = await this.#shrink(pruned.messages, around, frame);
    this.compressionCount += 1;
    return {
      messages: around(kept),
      kind: "summarised",
      prunedResults: pruned.prunedResults,
      summaryStatus: written.status,
      summaryTokens: estimateText(summary),
      summaryModel: written.model,
    };
  }

  /** Long messages as excerpts, ever shorter ones until a third of the window is free; the latest request stays whole. */
  #shrink(
    messages: readonly Message[],
    around: (kept: readonly Message[]) => readonly Message[],
    { limits, context, from, shortest }: Pick<Frame, "limits" | "context"> & Partial<ExcerptOptions>,
  ): Promise<readonly Message[]> {
    const fullest = fullestShare * limits.window;
    return withExcerpts(messages, {
      from,
      shortest,
      longest: shortest === undefined ? charactersPerToken * limits.longestKept : Number.POSITIVE_INFINITY,
      longestWhenFull: charactersPerToken * limits.tailBudget,
      isFull: (kept) => context.tokensWith(around(kept)) > fullest,
      sourceOf: (message, text) => this.#sourceOf(message, text),
    });
  }

  /** How the whole text of a message can be read again: by its id, else in a file. */
  async #sourceOf(message: Message, text: string): Promise<string | undefined> {
    if (message.uid === undefined) return undefined;
    if (this.#deps.canRecall()) return `${recallToolName} ${message.uid}`;
    const path = await this.#deps.keepText(message.uid, text);
    return path === undefined ? undefined : `read_file ${path}`;
  }

  #plan(messages: readonly Message[], limits: CompressionLimits): Plan {
    return planCompression(messages, { limits, sizeOf: sizeIn(messages, limits) });
  }

  #prune(messages: readonly Message[], limits: CompressionLimits): Pruned {
    const { tools } = this.#deps;
    return prune(messages, { limits, sizeOf: sizeIn(messages, limits), canRecall: this.#deps.canRecall(), tools });
  }

  /** The limits of the window, as far as this request leaves room for them. */
  #limitsFor(messages: readonly Message[], context: CompressContext): CompressionLimits {
    const fixedTokens = context.tokensWith([]);
    const sizeOf = (list: readonly Message[]): number =>
      list.reduce((sum, message) => sum + estimateMessage(message), 0);
    const scale = (context.tokensWith(messages) - fixedTokens) / Math.max(1, sizeOf(messages)) || 1;
    const limits = fitted(this.#limits, { fixedTokens, scale, headTokens: sizeOf(messages.slice(0, headSize)) });
    const { window } = limits;
    if (fixedTokens > crowdedShare * window)
      this.#tell(
        `The system prompt and the tools take ${Math.round((100 * fixedTokens) / window)}% of the window of ${this.#model.model}, so the conversation has to be summarised often. Fewer toolsets (hermes tools) or a larger window help.`,
      );
    return context.mustShrink ? tightened(limits, context.attempt, context.currentTokens) : limits;
  }

  /** A summary model with a small window lowers the threshold of the session; one with a very small window is not used. */
  #limitsOf(model: EngineModel): CompressionLimits {
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

/** Messages count as long as they will be: one that goes on as an excerpt takes no more than that. */
function sizeIn(messages: readonly Message[], { longestKept }: CompressionLimits): (message: Message) => number {
  const latest = latestRequest(messages);
  const request = latest === undefined ? undefined : messages[latest];
  return (message) =>
    message === request ? estimateMessage(message) : Math.min(estimateMessage(message), longestKept);
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
    return isSummaryOnly(message) || message.uid === undefined ? [] : [message.uid];
  });
  const first = earlier[0]?.first ?? uids[0];
  const last = uids.at(-1) ?? earlier.at(-1)?.last;
  if (first === undefined || last === undefined) return undefined;
  return { first, last, count: earlier.reduce((sum, span) => sum + span.count, 0) + uids.length };
}
