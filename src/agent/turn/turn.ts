import {
  type AgentEvent,
  type AgentEvents,
  callsOf,
  type ExitReason,
  type Message,
  type SessionId,
  settle,
  type TurnId,
} from "#conversation";
import { defined } from "#foundation/defined";
import { newId } from "#foundation/text/ids";
import type { Clock } from "#foundation/time/clock";
import type { RequestOptions, Target } from "#model";
import type { Tool } from "#tools";
import type { Transcript } from "../ports.ts";
import { unansweredReply } from "../unfinished-turn.ts";
import type { TurnOutcome } from "./outcome.ts";
import type { StepBudget } from "./step-budget.ts";

/** Changes to the next request that a remedy asked for. */
export interface RequestTweaks {
  readonly options?: Partial<RequestOptions>;
  /** Request fields the endpoint refuses, by their wire name. */
  readonly withoutParameters?: readonly string[];
}

/** A step lasts until a good reply, so `step` counts consecutive troubles. */
export interface RemedyLimit {
  readonly per: "turn" | "step";
  readonly times: number;
}

export interface TurnInit {
  readonly turnId: TurnId;
  readonly taskId: string;
  readonly sessionId: SessionId;
  /** Without the user message of this turn; append that first. */
  readonly history: readonly Message[];
  readonly target: Target;
  readonly steps: StepBudget;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** What the model is shown now. */
  tools(): ReadonlyMap<string, Tool>;
  /** The output limit the user set; absent where the target's own holds. */
  readonly outputTokens?: number;
  /** A message that follows from what this target was asked, with what is to be known about it later. */
  mark?(target: Target, message: Message): Message;
  /** The target stayed the same but something about it was learned. */
  onAdjusted?(from: Target, to: Target): void;
  readonly events: Pick<AgentEvents, "emit">;
}

/** What the turn is doing, so that an interrupt can be named by the moment it struck. */
export type TurnPhase = "between" | "calling" | "recovering" | "tools";

/**
 * The state of one turn. Made anew for every user message, so no counter survives into the next.
 *
 * 1. A message is recorded before the model sees it and before a tool runs because of it; scaffold
 *    is never recorded, and only streaming deltas run ahead.
 * 2. Every tool call in `history` has exactly one result, or the turn is still running tools.
 * 3. `history` is replaced, never edited in place; an attempt sees one version of it.
 * 4. A remedy may run only if `spend` said so.
 * 5. After `turn-end` nothing is emitted.
 */
export class Turn {
  readonly turnId: TurnId;
  readonly taskId: string;
  readonly steps: StepBudget;
  readonly signal: AbortSignal;
  readonly #init: TurnInit;
  readonly #usesInTurn = new Map<string, number>();
  readonly #usesInStep = new Map<string, number>();
  readonly #onceTweaks: RequestTweaks[] = [];
  #turnTweaks: RequestTweaks = {};
  #sessionId: SessionId;
  #history: readonly Message[];
  #target: Target;
  #isOver = false;
  #userUid = "";
  #unfinished = "";
  phase: TurnPhase = "between";
  /** Set by a remedy that changed the message list; the reason the next request may differ from the last. */
  breakCause: string | undefined;

  constructor(init: TurnInit) {
    this.#init = init;
    this.turnId = init.turnId;
    this.taskId = init.taskId;
    this.steps = init.steps;
    this.signal = init.signal;
    this.#sessionId = init.sessionId;
    this.#history = init.history;
    this.#target = init.target;
  }

  get sessionId(): SessionId {
    return this.#sessionId;
  }

  get history(): readonly Message[] {
    return this.#history;
  }

  get target(): Target {
    return this.#target;
  }

  get tools(): ReadonlyMap<string, Tool> {
    return this.#init.tools();
  }

  /** The uid of the user's message that began this turn; found by identity, since compression moves indexes. */
  get userUid(): string {
    return this.#userUid;
  }

  /** The output limit of ordinary requests; undefined when nobody set one. */
  get outputTokens(): number | undefined {
    return this.#init.outputTokens ?? this.#target.limits.defaultOutputTokens;
  }

  emit(event: AgentEvent): void {
    if (this.#isOver) return;
    if (event.type === "turn-end") this.#isOver = true;
    this.#init.events.emit(event);
  }

  /** Records the messages, then shows them to the next attempt. Gives them back with their uids. */
  async append(messages: readonly Message[]): Promise<readonly Message[]> {
    if (messages.length === 0) return messages;
    const stamped = messages.map((message) => this.#stamp(message));
    await this.#init.transcript.record(stamped);
    this.#history = [...this.#history, ...stamped];
    return stamped;
  }

  /** The message this turn is about. An earlier request that nobody answered is closed with it: it is not asked again. */
  async begin(message: Message): Promise<void> {
    const stamped = await this.append([...unansweredReply(this.#history), message]);
    this.#userUid = stamped.at(-1)?.uid ?? "";
  }

  /** The turn an earlier process left goes on; its message is in the history. */
  takeUp(userUid: string): void {
    this.#userUid = userUid;
  }

  /** What goes out behind the user's message of this turn, now and whenever the session is taken up again. */
  async sendWith(suffix: string): Promise<void> {
    const message = this.#history.find(({ uid }) => uid === this.#userUid);
    if (message === undefined) return;
    const amended = { ...message, sent: { ...message.sent, suffix } };
    await this.#init.transcript.amend([amended]);
    this.#history = this.#history.map((one) => (one === message ? amended : one));
  }

  /** Shows messages to the model without recording them; they go when a real message follows. */
  scaffold(messages: readonly Message[]): void {
    const stamped = messages.map((message) => ({ ...this.#stamp(message), _scaffold: true as const }));
    this.#history = [...this.#history, ...stamped];
  }

  /** Takes the user's message of this turn out again, while nothing has been said about it. True when it was. */
  async forgetUserMessage(): Promise<boolean> {
    const last = this.#history.at(-1);
    if (last === undefined || last.uid !== this.#userUid) return false;
    await this.#init.transcript.forget([this.#userUid]);
    this.#history = this.#history.slice(0, -1);
    return true;
  }

  /** Removes all scaffold; true when there was any. */
  dropScaffold(): boolean {
    const kept = this.#history.filter((message) => message._scaffold !== true);
    if (kept.length === this.#history.length) return false;
    this.#history = kept;
    this.breakCause = "scaffold removed";
    return true;
  }

  /** Another version of the same history, for example after compression; nothing is recorded here. */
  replaceHistory(messages: readonly Message[], cause: string): void {
    this.#history = messages;
    this.breakCause = cause;
  }

  moveTo(sessionId: SessionId): void {
    this.#sessionId = sessionId;
  }

  switchTo(target: Target, reason: string): void {
    this.#target = target;
    this.breakCause = "model change";
    this.emit({ type: "target-change", provider: target.provider, model: target.model, reason });
  }

  /** The same model with another credential, another known window, or a dislike learned from an error. */
  adjustTarget(target: Target): void {
    this.#init.onAdjusted?.(this.#target, target);
    this.#target = target;
  }

  tweak(tweaks: RequestTweaks, scope: "next-request" | "turn"): void {
    if (scope === "next-request") this.#onceTweaks.push(tweaks);
    else this.#turnTweaks = merge(this.#turnTweaks, tweaks);
  }

  /** What the next request must differ in; the changes for one request are used up by asking. */
  takeTweaks(): RequestTweaks {
    return this.#onceTweaks.splice(0).reduce(merge, this.#turnTweaks);
  }

  /** True, and counted, while the remedy has uses left. */
  spend(remedy: string, limit: RemedyLimit): boolean {
    const uses = limit.per === "turn" ? this.#usesInTurn : this.#usesInStep;
    const used = uses.get(remedy) ?? 0;
    if (used >= limit.times) return false;
    uses.set(remedy, used + 1);
    return true;
  }

  usesOf(remedy: string, per: RemedyLimit["per"]): number {
    return (per === "turn" ? this.#usesInTurn : this.#usesInStep).get(remedy) ?? 0;
  }

  /** A good reply ends a step: its troubles are over. */
  endStep(): void {
    this.#usesInStep.clear();
  }

  /** Another model starts with a clean slate. */
  resetRemedies(names: readonly string[]): void {
    for (const name of names) {
      this.#usesInStep.delete(name);
      this.#usesInTurn.delete(name);
    }
  }

  /** Gives every open call of the last reply a result that says why there is none. */
  async settleOpenCalls(why: string): Promise<void> {
    await this.append(settle(this.#history, why));
  }

  /** The words of a reply that was stopped in the middle. */
  noteUnfinished(text: string): void {
    this.#unfinished = text;
  }

  get unfinished(): string {
    return this.#unfinished;
  }

  /** How an abort at this moment is called. */
  interruptReason(): ExitReason {
    if (this.phase === "calling") return "interrupted_during_api_call";
    return this.phase === "recovering" ? "interrupted_during_retry" : "interrupted_by_user";
  }

  finish(outcome: TurnOutcome): void {
    this.emit({
      type: "turn-end",
      exitReason: outcome.exitReason,
      text: outcome.text ?? "",
      ...defined({ error: outcome.error }),
    });
  }

  /** Messages of this turn, from the user's on; all of them when compression took that message away. */
  ownMessages(): readonly Message[] {
    const start = this.#history.findIndex((message) => message.uid === this.#userUid);
    return start < 0 ? this.#history : this.#history.slice(start);
  }

  /** Names of the tools the last reply asked for. */
  lastToolNames(): readonly string[] {
    for (let index = this.#history.length - 1; index >= 0; index -= 1) {
      const message = this.#history[index];
      if (message !== undefined && callsOf(message).length > 0)
        return callsOf(message).map((call) => call.function.name);
    }
    return [];
  }

  #stamp(message: Message): Message {
    const marked = this.#init.mark?.(this.#target, message) ?? message;
    if (marked.uid !== undefined && marked.timestamp !== undefined) return marked;
    return {
      ...marked,
      uid: marked.uid ?? newId("msg"),
      timestamp: marked.timestamp ?? this.#init.clock.now() / 1000,
    };
  }
}

function merge(left: RequestTweaks, right: RequestTweaks): RequestTweaks {
  return {
    options: { ...left.options, ...right.options },
    withoutParameters: [...(left.withoutParameters ?? []), ...(right.withoutParameters ?? [])],
  };
}
