import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import { estimateText } from "#model";
import type { SummaryStatus } from "./engine.ts";
import { packBlocks } from "./serialize.ts";
import { headOf } from "./short-text.ts";
import { summaryPrompt } from "./summary-prompt.ts";

export interface SummaryRequest {
  /** The text of the one user message. */
  readonly prompt: string;
  readonly maxTokens: number;
  /** Ask the model of the conversation instead of the one set for summaries. */
  readonly useMainModel: boolean;
}

export type SummaryAnswer =
  | { readonly kind: "text"; readonly text: string; readonly model: string }
  | {
      readonly kind: "failed";
      readonly code: string;
      /** The summary model does not exist or is not served: another model would do. */
      readonly isModelMissing: boolean;
      /** There is nobody to ask at all. */
      readonly isNoProvider: boolean;
      /** The prompt was too long for that model. */
      readonly isTooLong?: boolean;
    };

/** One side call (task `compression`). Rejects only for aborts and bugs. */
export type Summarise = (request: SummaryRequest, signal: AbortSignal) => Promise<SummaryAnswer>;

/** The model summaries would be written by. */
export interface SummaryModel {
  readonly model: string;
  readonly contextWindow: number;
  /** It is the model of the conversation. */
  readonly isMain: boolean;
}

export interface SummarizerDeps {
  readonly summarise: Summarise;
  readonly clock: Clock;
  readonly logger: Logger;
  redact(text: string): string;
}

export interface SummaryWish {
  readonly blocks: readonly string[];
  readonly previous?: string;
  readonly focusTopic?: string;
  readonly insights?: string;
  readonly latestRequest?: string;
  readonly budgetTokens: number;
  /** Of the model that reads the prompt; undefined when nobody knows. */
  readonly readerWindow?: number;
  /** Unset: the model set for summaries. */
  readonly useMainModel?: boolean;
  readonly ignorePause: boolean;
}

export type Summary =
  | {
      readonly kind: "summary";
      readonly text: string;
      readonly model: string;
      readonly status: Extract<SummaryStatus, "ok" | "fallback_model">;
    }
  | { readonly kind: "failed"; readonly code: string }
  /** A summary failed a moment ago; none was tried. */
  | { readonly kind: "paused" };

const noProviderPauseMs = 600_000;
const failurePauseMs = 60_000;
const outputFactor = 1.3;
/** Kept free for the instructions, the answer's overhead and the error of the estimate. */
const reservedTokens = 4_000;
const charactersPerToken = 4;
const smallestPiece = 4_000;
const maxHalvings = 2;
const longestRequest = 4_000;

/** Writes summaries for one conversation, and remembers for how long not to try. */
export class Summarizer {
  readonly #deps: SummarizerDeps;
  #pausedUntilMs = 0;
  /** The model set for summaries turned out not to exist: from then on the main one is asked. */
  #usesMainModel = false;

  constructor(deps: SummarizerDeps) {
    this.#deps = deps;
  }

  get isPaused(): boolean {
    return this.#deps.clock.now() < this.#pausedUntilMs;
  }

  /** Another model or a new session: what failed before says nothing. */
  reset(): void {
    this.#pausedUntilMs = 0;
    this.#usesMainModel = false;
  }

  async write(wish: SummaryWish, signal: AbortSignal): Promise<Summary> {
    if (this.isPaused && !wish.ignorePause) return { kind: "paused" };
    let useMainModel = this.#usesMainModel || wish.useMainModel === true;
    let pieceCharacters = roomFor(wish);
    for (let halvings = 0; ; ) {
      const answer = await this.#update(wish, { pieceCharacters, useMainModel }, signal);
      if (answer.kind === "text") {
        this.#pausedUntilMs = 0;
        const status = this.#usesMainModel ? "fallback_model" : "ok";
        return { kind: "summary", text: answer.text, model: answer.model, status };
      }
      if (answer.isModelMissing && !useMainModel) {
        this.#deps.logger.warn("the summary model is not there; the main model writes summaries now", {
          code: answer.code,
        });
        this.#usesMainModel = true;
        useMainModel = true;
        continue;
      }
      if (answer.isTooLong === true && halvings < maxHalvings) {
        halvings += 1;
        const total = wish.blocks.reduce((sum, block) => sum + block.length + 2, 0);
        pieceCharacters = Math.max(smallestPiece, Math.floor(Math.min(pieceCharacters, total) / 2));
        continue;
      }
      this.#pausedUntilMs = this.#deps.clock.now() + (answer.isNoProvider ? noProviderPauseMs : failurePauseMs);
      return { kind: "failed", code: answer.code };
    }
  }

  /** One call, or several where the region is larger than the reader's window: each brings the last one's text up to date. */
  async #update(
    wish: SummaryWish,
    how: { readonly pieceCharacters: number; readonly useMainModel: boolean },
    signal: AbortSignal,
  ): Promise<SummaryAnswer> {
    const { redact, summarise } = this.#deps;
    let previous = wish.previous === undefined ? undefined : redact(wish.previous);
    let model = "";
    const { focusTopic, insights, latestRequest } = wish;
    for (const region of packBlocks(wish.blocks, how.pieceCharacters)) {
      const prompt = summaryPrompt({
        region,
        budgetTokens: wish.budgetTokens,
        ...(previous === undefined ? {} : { previous }),
        ...(focusTopic === undefined ? {} : { focusTopic: redact(focusTopic) }),
        ...(insights === undefined ? {} : { insights: redact(insights) }),
        ...(latestRequest === undefined ? {} : { latestRequest: redact(headOf(latestRequest, longestRequest)) }),
      });
      const maxTokens = Math.ceil(outputFactor * wish.budgetTokens);
      const answer = await summarise({ prompt, maxTokens, useMainModel: how.useMainModel }, signal);
      if (answer.kind === "failed") return answer;
      const text = redact(answer.text).trim();
      if (text === "") return { kind: "failed", code: "empty_summary", isModelMissing: false, isNoProvider: false };
      previous = text;
      model = answer.model;
    }
    if (previous === undefined)
      return { kind: "failed", code: "nothing_to_summarise", isModelMissing: false, isNoProvider: false };
    return { kind: "text", text: previous, model };
  }
}

/** Characters of the region one call can take. */
function roomFor(wish: SummaryWish): number {
  if (wish.readerWindow === undefined) return Number.MAX_SAFE_INTEGER;
  const besides = wish.budgetTokens + estimateText(wish.insights ?? "") + estimateText(wish.previous ?? "");
  const tokens = wish.readerWindow - reservedTokens - Math.ceil(outputFactor * wish.budgetTokens) - besides;
  return Math.max(smallestPiece, tokens * charactersPerToken);
}
