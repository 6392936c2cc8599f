import { userMessage } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import { headOf } from "#foundation/text/short-text";
import type { Clock } from "#foundation/time/clock";
import { type Auxiliary, type AuxiliaryOutcome, estimateText, type Target } from "#model";
import type { SummaryStatus } from "./engine.ts";
import { packBlocks, summaryPrompt } from "./summary-prompt.ts";

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

export interface SummaryTask {
  readonly blocks: readonly string[];
  readonly previous: string | undefined;
  readonly focusTopic: string | undefined;
  readonly insights: string | undefined;
  readonly latestRequest: string | undefined;
  readonly budgetTokens: number;
  /** Of the model that reads the prompt; undefined when nobody knows. */
  readonly readerWindow: number | undefined;
  /** Not the model set for summaries, but the one of the conversation. */
  readonly useMainModel: boolean;
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
/** Kept free for the error of the estimate. */
const reservedShare = 0.1;
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

  async write(task: SummaryTask, signal: AbortSignal): Promise<Summary> {
    if (this.isPaused && !task.ignorePause) return { kind: "paused" };
    let useMainModel = this.#usesMainModel || task.useMainModel;
    let pieceCharacters = roomFor(task);
    for (let halvings = 0; ; ) {
      const answer = await this.#update(task, { pieceCharacters, useMainModel }, signal);
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
        const total = task.blocks.reduce((sum, block) => sum + block.length + 2, 0);
        pieceCharacters = Math.max(smallestPiece, Math.floor(Math.min(pieceCharacters, total) / 2));
        continue;
      }
      this.#pausedUntilMs = this.#deps.clock.now() + (answer.isNoProvider ? noProviderPauseMs : failurePauseMs);
      return { kind: "failed", code: answer.code };
    }
  }

  /** One call, or several where the region is larger than the reader's window: each brings the last one's text up to date. */
  async #update(
    task: SummaryTask,
    how: { readonly pieceCharacters: number; readonly useMainModel: boolean },
    signal: AbortSignal,
  ): Promise<SummaryAnswer> {
    const { redact, summarise } = this.#deps;
    let previous = task.previous && redact(task.previous);
    let model = "";
    const { focusTopic, insights, latestRequest } = task;
    for (const region of packBlocks(task.blocks, how.pieceCharacters)) {
      const prompt = summaryPrompt({
        region,
        budgetTokens: task.budgetTokens,
        previous,
        focusTopic: focusTopic && redact(focusTopic),
        insights: insights && redact(insights),
        latestRequest: latestRequest && redact(headOf(latestRequest, longestRequest)),
      });
      const maxTokens = Math.ceil(outputFactor * task.budgetTokens);
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
function roomFor(task: SummaryTask): number {
  if (task.readerWindow === undefined) return Number.MAX_SAFE_INTEGER;
  const { budgetTokens, readerWindow } = task;
  // From the second piece on, what the first ones gave stands in the prompt too.
  const besides = estimateText(summaryPrompt({ ...task, region: "" })) + budgetTokens;
  const tokens = (1 - reservedShare) * readerWindow - outputFactor * budgetTokens - besides;
  return Math.max(smallestPiece, Math.floor(tokens) * charactersPerToken);
}

/** Statuses with which a gateway says that it does not serve a model (now). */
const missingStatuses: ReadonlySet<number | undefined> = new Set([404, 503]);

/** Summaries through the side calls of a session (task `compression`). */
export function auxiliarySummariser(auxiliary: Pick<Auxiliary, "run" | "planned">, main: () => Target): Summarise {
  return async ({ prompt, maxTokens, useMainModel }, signal) => {
    const { provider, model } = main();
    const planned = auxiliary.planned("compression");
    const isDistinct = planned !== undefined && (planned.provider !== provider || planned.model !== model);
    const outcome = await auxiliary.run(
      "compression",
      {
        messages: [userMessage(prompt)],
        maxTokens,
        ...(useMainModel && isDistinct ? { provider: "main", model } : {}),
      },
      signal,
    );
    return answerOf(outcome, isDistinct && !useMainModel);
  };
}

function answerOf(outcome: AuxiliaryOutcome, isDistinct: boolean): SummaryAnswer {
  if (outcome.kind === "done") return { kind: "text", text: outcome.text, model: outcome.target.model };
  const { failure, code } = outcome;
  return {
    kind: "failed",
    code,
    isNoProvider: failure === undefined,
    isModelMissing: isDistinct && (failure?.kind === "model_not_found" || missingStatuses.has(failure?.status ?? 0)),
    isTooLong: failure?.kind === "context_overflow",
  };
}
