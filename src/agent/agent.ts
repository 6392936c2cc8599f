import {
  type Content,
  cleanContent,
  cleanInput,
  type Message,
  type TurnId,
  type TurnResult,
  textOf,
  userMessage,
} from "#conversation";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { linkSignals } from "#foundation/lifecycle/abort";
import { newId } from "#foundation/text/ids";
import { systemClock } from "#foundation/time/clock";
import type { Target } from "#model";
import type { AgentDeps } from "./agent-deps.ts";
import { type ContextKeeper, keepEverything } from "./context-keeper.ts";
import type { Conversation } from "./conversation.ts";
import { runTurn } from "./loop.ts";
import { ActivityWatch, usualActivityMs } from "./turn/activity-watch.ts";
import { finishTurn } from "./turn/finish-turn.ts";
import { type LoopContext, loopDeps } from "./turn/loop-deps.ts";
import { cutOff } from "./turn/open-calls.ts";
import type { TurnOutcome } from "./turn/outcome.ts";
import { quotedSource } from "./turn/quoted-source.ts";
import { ImageViews } from "./turn/request/image-views.ts";
import { createRequestBuilder, type LastRequest, type RequestBuilder } from "./turn/request/request.ts";
import { SteerBox } from "./turn/steer-box.ts";
import { StepBudget } from "./turn/step-budget.ts";
import { Turn } from "./turn/turn.ts";
import { TurnFigures } from "./turn/turn-figures.ts";
import { type UnfinishedTurn, unfinishedTurn } from "./unfinished-turn.ts";

export interface ConversationInput {
  readonly userMessage: Content;
  /** Stored instead of `userMessage` where that carries more than the user's words. */
  readonly persistUserMessage?: string;
  /** Where words of strangers in it came from: a page it refers to, a mail, a message that arrived by itself. */
  readonly untrusted?: string | undefined;
  /** Isolates terminals, browser and read ledger; made up when absent. */
  readonly taskId?: string;
  /** Names the turn in events, in the ledger and in what is written alongside its messages; made up when absent. */
  readonly turnId?: TurnId;
  /** Takes the place of the history the agent holds; empty starts blank. */
  readonly history?: readonly Message[];
  readonly signal?: AbortSignal;
}

export type ContinueInput = Omit<ConversationInput, "userMessage" | "persistUserMessage" | "untrusted" | "history">;

interface OpenTurn {
  readonly stop: AbortController;
  message?: string;
}

interface TurnStart {
  readonly input: ContinueInput;
  readonly open: OpenTurn;
  /** The user's words as they are stored. */
  readonly userText: string;
  readonly unfinished?: UnfinishedTurn;
  begin(turn: Turn): Promise<void>;
}

/** One agent and its conversation. It runs one turn at a time. */
export class Agent {
  readonly conversation: Conversation;
  readonly #deps: AgentDeps;
  readonly #steer = new SteerBox();
  readonly #withoutStreaming = new Set<string>();
  readonly #keeper: ContextKeeper;
  readonly #requests: RequestBuilder;
  readonly #last: LastRequest = { request: undefined };
  #open: OpenTurn | undefined;
  /** Why the next request may differ from the last one of the turn before. */
  #nextBreak: string | undefined;

  constructor(deps: AgentDeps) {
    this.#deps = deps;
    this.conversation = deps.conversation;
    this.#requests = createRequestBuilder({
      conversation: deps.conversation,
      prompt: deps.prompt.source,
      settings: deps.settings.request,
      listing: () => deps.tools.listing(),
      ephemeral: (turn) => this.#ephemeral(turn),
      prefill: deps.prompt.prefill ?? [],
      withoutStreaming: this.#withoutStreaming,
      images: new ImageViews(deps.model.images ?? {}, deps.logger),
      logger: deps.logger,
      onRequest: (request, cause) => {
        this.#last.request = request;
        deps.observers.onRequest?.(request, cause);
      },
    });
    this.#keeper = deps.memory.keeper?.({ previewRequest: (turn) => this.#requests.preview(turn) }) ?? keepEverything;
  }

  get isBusy(): boolean {
    return this.#open !== undefined;
  }

  /** Stops the turn that runs, also one that has only just begun. Pending guidance is dropped. Without a turn: nothing. */
  interrupt(message?: string): void {
    if (this.#open === undefined) return;
    if (message !== undefined) this.#open.message = message;
    this.#steer.take();
    this.#open.stop.abort();
  }

  /** The user chose another model: the next turn begins with it, and only what names the model is rebuilt. */
  async changeModel(target: Target): Promise<void> {
    this.conversation.choose(target);
    await this.#deps.prompt.source.rebuild({ model: target.model, provider: target.provider });
    this.#nextBreak = "model change";
  }

  /** Guidance for the running turn; false for blank text. */
  steer(text: string): boolean {
    return this.#steer.put(text);
  }

  async runConversation(input: ConversationInput): Promise<TurnResult> {
    const { history } = input;
    return await this.#alone(async (open) => {
      if (history !== undefined) this.conversation.restart(history);
      const userText = cleanInput(input.persistUserMessage ?? textOf(input.userMessage));
      const content = cleanContent(input.userMessage);
      const isOther = input.persistUserMessage !== undefined;
      const untrusted = input.untrusted ?? quotedSource(userText);
      const label = defined({ untrusted });
      const message = isOther ? userMessage(userText, { sent: { content }, ...label }) : userMessage(content, label);
      const begin = async (turn: Turn): Promise<void> => {
        await turn.settleOpenCalls(cutOff);
        await turn.begin(message);
        if (untrusted !== undefined) this.conversation.noteUntrusted(untrusted);
      };
      return await this.#run({ input, open, userText, begin });
    });
  }

  /** Goes on with a turn that broke off, from what was recorded of it; undefined when there is none. */
  async continueTurn(input: ContinueInput = {}): Promise<TurnResult | undefined> {
    return await this.#alone(async (open) => {
      const unfinished = unfinishedTurn(this.conversation.history, this.#deps.tools.listing().tools);
      if (unfinished === undefined) return undefined;
      const { userText, userUid } = unfinished;
      const begin = (turn: Turn): Promise<void> => Promise.resolve(turn.takeUp(userUid));
      return await this.#run({ input, open, userText, begin, unfinished });
    });
  }

  async #alone<T>(work: (open: OpenTurn) => Promise<T>): Promise<T> {
    if (this.#open !== undefined)
      throw new Error("A turn is running in this conversation; queue the message or interrupt it.");
    const open: OpenTurn = { stop: new AbortController() };
    this.#open = open;
    try {
      return await work(open);
    } finally {
      this.#open = undefined;
    }
  }

  async #run(start: TurnStart): Promise<TurnResult> {
    const { input, open, userText } = start;
    const { conversation, clock, record, settings, observers } = this.#deps;
    const { events, activityClock } = observers;
    conversation.beginTurn(clock.now());
    this.#last.request = undefined;
    const figures = new TurnFigures();
    using _figures = events.observe("figures", figures);
    const steps = new StepBudget(settings.maxSteps, start.unfinished);
    await using activity = new ActivityWatch({
      clock: activityClock ?? systemClock,
      everyMs: usualActivityMs,
      emit: (event) => turn.emit(event),
      steps: () => ({ step: steps.taken, limit: steps.limit }),
    });
    using _activity = events.observe("activity", activity);
    const { maxOutputTokens } = settings.request;
    const turn = new Turn({
      turnId: input.turnId ?? (newId("trn") as TurnId),
      taskId: input.taskId ?? crypto.randomUUID(),
      sessionId: conversation.sessionId,
      history: conversation.history,
      target: conversation.target,
      steps,
      transcript: record.transcript,
      signal: linkSignals(open.stop.signal, input.signal),
      clock,
      ...defined({ outputTokens: maxOutputTokens }),
      tools: () => this.#deps.tools.listing().tools,
      mark: (target, message) => conversation.mark(target, message),
      onAdjusted: (from, to) => conversation.adjust(from, to),
      events,
    });
    turn.breakCause = this.#nextBreak;
    this.#nextBreak = undefined;
    const outcome = await this.#outcome(turn, start, figures);
    const interruptMessage = open.message;
    const { steer, last } = { steer: this.#steer, last: this.#last };
    return finishTurn(turn, { outcome, userText, figures, steer, last, interruptMessage }, this.#deps);
  }

  /** Runs the turn; a bug in the program ends it like any other failure, so that nothing is left half done. */
  async #outcome(turn: Turn, { begin, userText }: TurnStart, figures: TurnFigures): Promise<TurnOutcome> {
    try {
      await begin(turn);
      return await runTurn(turn, loopDeps(turn, { userText, figures }, this.#parts()));
    } catch (error) {
      if (turn.signal.aborted) return { exitReason: turn.interruptReason() };
      const error_ = describe(error);
      this.#deps.logger.error("turn failed unexpectedly", {
        error: error_,
        stack: error instanceof Error ? error.stack : undefined,
      });
      return { exitReason: "internal_error", error: error_, errorClass: "internal_error" };
    }
  }

  #parts(): LoopContext {
    return {
      deps: this.#deps,
      keeper: this.#keeper,
      requests: this.#requests,
      steer: this.#steer,
      withoutStreaming: this.#withoutStreaming,
    };
  }

  #ephemeral(turn: Turn): string | undefined {
    const own = this.#deps.prompt.ephemeral?.(turn) ?? "";
    const hint = this.#deps.settings.budgetHints ? budgetHint(turn) : "";
    const text = [own, hint].filter((part) => part !== "").join("\n\n");
    return text === "" ? undefined : text;
  }
}

/** What a model is told about its steps where the user wants that; empty while there are plenty. */
function budgetHint({ steps }: Turn): string {
  const share = (steps.limit - steps.left) / steps.limit;
  if (share >= 0.9) return "Note: more than 90% of the steps for this request are used. Come to an end.";
  return share >= 0.7 ? "Note: more than 70% of the steps for this request are used." : "";
}
