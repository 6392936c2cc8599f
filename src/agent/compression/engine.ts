import type { JsonSchema, Message, Usage } from "#conversation";
import type { Target } from "#model";

/** What an engine is told about one compression. */
export interface CompressContext {
  /** The meter's value for the request as it would go out now. */
  readonly currentTokens: number;
  /** Tokens of that request with these messages in the place of its history, by the same measure. */
  tokensWith(messages: readonly Message[]): number;
  /** What the user wants kept in detail (`/compress <topic>`). */
  readonly focusTopic?: string | undefined;
  /** What the memory provider wants the summary to keep. */
  readonly insights?: string | undefined;
  /** The provider refused the size: keeping everything is no option. */
  readonly mustShrink: boolean;
  /** A person asked: pauses after failures do not count. */
  readonly isManual: boolean;
  /** 1 for the first try of this trigger within a turn. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** How a compression went, beyond the messages. */
export interface CompressFacts {
  /** `unchanged`: the list is the one given. `pruned`: same messages, shorter results. `summarised`: a region was replaced. */
  readonly kind: "unchanged" | "pruned" | "summarised";
  readonly prunedResults: number;
  readonly summaryStatus: SummaryStatus;
  readonly summaryModel?: string | undefined;
  readonly summaryTokens: number;
}

export type SummaryStatus = "ok" | "fallback_model" | "local_extract" | "skipped" | "failed";

export interface CompressOutcome extends CompressFacts {
  readonly messages: readonly Message[];
}

/** The model a session talks to now. Credentials are not handed out: an engine makes its calls through the program. */
export interface EngineModel {
  readonly model: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiMode: string;
  readonly contextLength: number;
}

export interface EngineSession {
  readonly model: EngineModel;
}

/**
 * Decides when and how a conversation is made smaller. One engine serves one conversation; `context.engine`
 * names it. What surrounds a compression (storing, memory, splitting, checking the result) is not its business.
 */
export interface ContextEngine {
  /** Equal to the value of `context.engine`. */
  readonly name: string;
  readonly lastPromptTokens: number;
  readonly lastCompletionTokens: number;
  readonly lastTotalTokens: number;
  readonly thresholdTokens: number;
  readonly contextLength: number;
  readonly compressionCount: number;
  /** Share of the window that starts a compression; 0.75 when absent. */
  readonly thresholdPercent?: number;
  /** After every answer of the model. */
  updateFromResponse(usage: Usage): void;
  shouldCompress(tokens?: number): boolean;
  /** A valid message list, or the list with facts about how it came about. Must not change the list it is given. */
  compress(
    messages: readonly Message[],
    context: CompressContext,
  ): Promise<readonly Message[] | CompressOutcome> | readonly Message[] | CompressOutcome;
  /** What can be saved without asking a model; tried before anything that costs. */
  prune?(messages: readonly Message[], context: CompressContext): CompressOutcome | Promise<CompressOutcome>;
  /** True while summaries are not attempted because one failed a moment ago. */
  isPaused?(): boolean;
  /** A cheap look before a turn, for engines that compress earlier than their threshold says. */
  shouldCompressPreflight?(messages: readonly Message[]): boolean;
  /** False: there is nothing a compression could take away. */
  hasContentToCompress?(messages: readonly Message[], context: CompressContext): boolean;
  onSessionStart?(sessionId: string, session: EngineSession): void | Promise<void>;
  /** At a real end of the session, not when compression splits it. */
  onSessionEnd?(sessionId: string, messages: readonly Message[]): void | Promise<void>;
  getToolSchemas?(): readonly JsonSchema[];
  /** Gives a JSON text. */
  handleToolCall?(
    name: string,
    args: Readonly<Record<string, unknown>>,
    context: { readonly sessionId: string; readonly signal: AbortSignal },
  ): string | Promise<string>;
  /** Another model, a fallback, or another known window of the same model. */
  updateModel?(model: EngineModel): void;
}

const usualThreshold = 0.75;

/** The threshold an engine states, else its share of the window. */
export function thresholdOf(engine: ContextEngine): number {
  if (engine.thresholdTokens > 0) return engine.thresholdTokens;
  return Math.floor(engine.contextLength * (engine.thresholdPercent ?? usualThreshold));
}

/** An engine may give the bare list; what it did is read off the list then. */
export function outcomeOf(before: readonly Message[], input: readonly Message[] | CompressOutcome): CompressOutcome {
  if (!isList(input)) return input;
  const uids = new Set(before.map((message) => message.uid));
  const isSameMessages = input.length === before.length && input.every((message) => uids.has(message.uid));
  const isUnchanged = input.length === before.length && input.every((message, index) => message === before[index]);
  const kind = isUnchanged ? "unchanged" : isSameMessages ? "pruned" : "summarised";
  return { messages: input, kind, prunedResults: 0, summaryStatus: isUnchanged ? "skipped" : "ok", summaryTokens: 0 };
}

function isList(input: readonly Message[] | CompressOutcome): input is readonly Message[] {
  return Array.isArray(input);
}

export function engineModel({ model, provider, baseUrl, protocol, limits }: Target): EngineModel {
  return { model, provider, baseUrl, apiMode: protocol, contextLength: limits.contextWindow };
}

export function isSameModel(one: EngineModel, other: EngineModel): boolean {
  return (
    one.model === other.model &&
    one.provider === other.provider &&
    one.baseUrl === other.baseUrl &&
    one.contextLength === other.contextLength
  );
}
