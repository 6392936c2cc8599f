import {
  type AgentEvent,
  type Content,
  cleanContent,
  cleanInput,
  type Message,
  textOf,
  userMessage,
} from "#conversation";
import { linkSignals } from "#foundation/abort";
import { describe } from "#foundation/errors";
import { newId } from "#foundation/ids";
import { Toolbelt } from "#tools";
import type { AgentDeps } from "./agent-deps.ts";
import { createAttempt } from "./attempt.ts";
import type { ContextKeeper } from "./context-keeper.ts";
import { keepEverything } from "./context-keeper.ts";
import type { Conversation } from "./conversation.ts";
import { type LoopDeps, runTurn } from "./loop.ts";
import { LoopGuard } from "./loop-guard.ts";
import { accountedMoney } from "./money.ts";
import type { TurnOutcome } from "./outcome.ts";
import { prepareTurn } from "./prepare-turn.ts";
import { factsFor } from "./reply-facts.ts";
import { createRequestBuilder, type RequestBuilder } from "./request.ts";
import { resultOf, type TurnResult } from "./result.ts";
import { createRunTools } from "./run-tools.ts";
import { SteerBox } from "./steer-box.ts";
import { StepBudget } from "./step-budget.ts";
import { Turn } from "./turn.ts";
import { createWrapUp } from "./wrap-up.ts";

export interface ConversationInput {
  readonly userMessage: Content;
  /** Stored instead of `userMessage` where that carries more than the user's words. */
  readonly persistUserMessage?: string;
  /** Isolates terminals, browser and read ledger; made up when absent. */
  readonly taskId?: string;
  /** Takes the place of the history the agent holds; empty starts blank. */
  readonly history?: readonly Message[];
  readonly signal?: AbortSignal;
}

/** One agent and its conversation. It runs one turn at a time. */
export class Agent {
  readonly conversation: Conversation;
  readonly #deps: AgentDeps;
  readonly #steer = new SteerBox();
  readonly #withoutStreaming = new Set<string>();
  readonly #keeper: ContextKeeper;
  readonly #requests: RequestBuilder;
  #open: { readonly stop: AbortController; message?: string } | undefined;
  /** An interrupt that came before the turn it was meant for. */
  #early: { readonly message?: string } | undefined;

  constructor(deps: AgentDeps) {
    this.#deps = deps;
    this.conversation = deps.conversation;
    this.#requests = createRequestBuilder({
      conversation: deps.conversation,
      prompt: deps.prompt,
      settings: deps.settings.request,
      listing: () => deps.tools.listing(),
      ephemeral: (turn) => this.#ephemeral(turn),
      prefill: deps.prefill ?? [],
      withoutStreaming: this.#withoutStreaming,
      onRequest: (request, cause) => deps.onRequest?.(request, cause),
    });
    this.#keeper = deps.keeper?.({ previewRequest: (turn) => this.#requests.preview(turn) }) ?? keepEverything;
  }

  get isBusy(): boolean {
    return this.#open !== undefined;
  }

  /** Stops what runs now; before a turn, the next one ends at once. Pending guidance is dropped. */
  interrupt(message?: string): void {
    const facts = message === undefined ? {} : { message };
    if (this.#open === undefined) {
      this.#early = facts;
      return;
    }
    Object.assign(this.#open, facts);
    this.#steer.take();
    this.#open.stop.abort();
  }

  /** Guidance for the running turn; false for blank text. */
  steer(text: string): boolean {
    return this.#steer.put(text);
  }

  async chat(message: string, signal?: AbortSignal): Promise<string | null> {
    const input = signal === undefined ? { userMessage: message } : { userMessage: message, signal };
    return (await this.runConversation(input)).final_response;
  }

  async runConversation(input: ConversationInput): Promise<TurnResult> {
    if (this.#open !== undefined)
      throw new Error("A turn is running in this conversation; queue the message or interrupt it.");
    const stop = new AbortController();
    const open: { stop: AbortController; message?: string } = { stop, ...this.#early };
    if (this.#early !== undefined) stop.abort();
    this.#early = undefined;
    this.#open = open;
    try {
      return await this.#run(input, open);
    } finally {
      this.#open = undefined;
    }
  }

  async #run(input: ConversationInput, open: { stop: AbortController; message?: string }): Promise<TurnResult> {
    const { conversation, clock, transcript, settings } = this.#deps;
    if (input.history !== undefined) conversation.history = input.history;
    conversation.beginTurn(clock.now());
    const preview = new PreviewWatch((event) => this.#emit(event));
    const turn = new Turn({
      turnId: newId("trn") as Turn["turnId"],
      taskId: input.taskId ?? crypto.randomUUID(),
      sessionId: conversation.sessionId,
      history: conversation.history,
      target: conversation.target,
      steps: new StepBudget(settings.maxSteps),
      transcript,
      signal: linkSignals(open.stop.signal, input.signal),
      clock,
      toolNames: () => this.#deps.tools.listing().names,
      emit: (event) => preview.emit(event),
    });
    const userText = cleanInput(input.persistUserMessage ?? textOf(input.userMessage));
    const outcome = await this.#outcome(turn, input, userText);
    return this.#finish(turn, { outcome, userText, preview, open });
  }

  /** Runs the turn; a bug in the program ends it like any other failure, so that nothing is left half done. */
  async #outcome(turn: Turn, input: ConversationInput, userText: string): Promise<TurnOutcome> {
    try {
      const stored = input.persistUserMessage === undefined ? cleanContent(input.userMessage) : userText;
      await turn.begin(userMessage(stored));
      if (input.persistUserMessage !== undefined)
        this.conversation.sent.set(turn.userUid, { content: cleanContent(input.userMessage) });
      return await runTurn(turn, this.#loopDeps(turn, userText));
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

  #loopDeps(turn: Turn, userText: string): LoopDeps {
    const deps = this.#deps;
    const { conversation } = this;
    const calling = {
      stream: deps.stream.bind(deps),
      money: accountedMoney(deps, turn),
      clock: deps.clock,
      meter: conversation.meter,
      buildRequest: (now: Turn) => this.#requests.next(now),
      ...(deps.onRateLimits === undefined ? {} : { onRateLimits: deps.onRateLimits.bind(deps) }),
    };
    let isPrepared = false;
    return {
      attempt: createAttempt({
        ...calling,
        hooks: deps.hooks ?? {},
        logger: deps.logger,
        factsFor: (now) => factsFor(now, { listing: deps.tools.listing(), userText }),
        succeeded: async (now) => deps.succeeded?.(now.target),
      }),
      runTools: createRunTools({
        belt: () => this.#belt(),
        context: (now) => ({
          taskId: now.taskId,
          sessionId: now.sessionId,
          sessionKey: deps.sessionKey,
          surface: deps.surface,
          userTask: userText,
        }),
        observers: (now) => deps.tools.observers(now),
        hintsFor: (call, args) => deps.tools.hintsFor(call.function.name, args),
        steer: this.#steer,
        guard: new LoopGuard(deps.settings.loopGuard),
        maxDelegations: deps.settings.maxConcurrentChildren,
      }),
      fitContext: async (now) => {
        await this.#keeper.fit(now, isPrepared ? "step" : "preflight");
        if (!isPrepared) await prepareTurn(now, { deps, userText });
        isPrepared = true;
      },
      wrapUp: createWrapUp(calling),
      remedies: deps.remedies({
        keeper: this.#keeper,
        stopStreaming: (baseUrl) => this.#withoutStreaming.add(baseUrl),
      }),
      sleep: (ms, signal) => deps.clock.sleep(ms, signal),
    };
  }

  #belt(): Toolbelt {
    const { tools, clock, logger } = this.#deps;
    return new Toolbelt({
      listing: tools.listing(),
      files: tools.files,
      clock,
      logger,
      redact: (text) => tools.redact(text),
      agentTools: new Map([["todo", this.conversation.todos.execute], ...tools.agentTools]),
      ...(tools.limits === undefined ? {} : { limits: tools.limits }),
    });
  }

  #ephemeral(turn: Turn): string | undefined {
    const given = this.#deps.ephemeral?.(turn) ?? "";
    const hint = this.#deps.settings.budgetHints ? budgetHint(turn) : "";
    const text = [given, hint].filter((part) => part !== "").join("\n\n");
    return text === "" ? undefined : text;
  }

  async #finish(
    turn: Turn,
    end: { outcome: TurnOutcome; userText: string; preview: PreviewWatch; open: { message?: string } },
  ): Promise<TurnResult> {
    const { outcome, userText, preview, open } = end;
    const { conversation } = this;
    turn.dropScaffold();
    conversation.history = turn.history;
    conversation.sessionId = turn.sessionId;
    const isInterrupted = outcome.exitReason.startsWith("interrupted");
    const pendingSteer = this.#steer.take();
    const result = resultOf({
      turn,
      conversation,
      outcome,
      apiCalls: turn.steps.taken + (outcome.exitReason === "max_iterations_reached" ? 1 : 0),
      wasPreviewed: preview.lastText !== "" && outcome.text === preview.lastText,
      ...(isInterrupted && open.message !== undefined ? { interruptMessage: open.message } : {}),
      ...(pendingSteer === undefined || isInterrupted ? {} : { pendingSteer }),
    });
    this.#deps.logger.info("turn ended", {
      session: turn.sessionId,
      exit: outcome.exitReason,
      steps: turn.steps.taken,
    });
    await this.#tellHooks(turn, result, userText);
    turn.finish(outcome);
    this.#deps.afterTurn?.(result, turn);
    return result;
  }

  /** Whoever watches may fail; the turn has ended well all the same. */
  async #tellHooks(turn: Turn, result: TurnResult, userText: string): Promise<void> {
    const { hooks, memory } = this.#deps;
    const facts = { sessionId: turn.sessionId, model: turn.target.model };
    try {
      if (result.final_response !== null && !result.interrupted) {
        const answer = result.final_response;
        memory?.sync(userText, answer);
        await hooks?.afterAnswer?.({ ...facts, userText, answer, history: turn.history });
      }
      await hooks?.onTurnEnd?.({ ...facts, completed: result.completed, interrupted: result.interrupted });
    } catch (error) {
      this.#deps.logger.warn("what follows a turn failed", { error: describe(error) });
    }
  }

  /** A surface that cannot draw an event does not stop the work. */
  #emit(event: AgentEvent): void {
    try {
      this.#deps.emit(event);
    } catch (error) {
      this.#deps.logger.debug("event could not be shown", { event: event.type, error: describe(error) });
    }
  }
}

/** Passes events on, and remembers the visible text of the reply that was streamed last. */
class PreviewWatch {
  readonly #emit: (event: AgentEvent) => void;
  lastText = "";

  constructor(emit: (event: AgentEvent) => void) {
    this.#emit = emit;
  }

  emit(event: AgentEvent): void {
    if (event.type === "attempt-start") this.lastText = "";
    else if (event.type === "text-delta") this.lastText += event.text;
    this.#emit(event);
  }
}

function budgetHint(turn: Turn): string {
  const share = (turn.steps.limit - turn.steps.left) / turn.steps.limit;
  if (share >= 0.9) return "Note: more than 90 % of the steps for this request are used. Come to an end.";
  return share >= 0.7 ? "Note: more than 70 % of the steps for this request are used." : "";
}
