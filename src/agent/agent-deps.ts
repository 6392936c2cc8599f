import type { AgentEvents, Message, TurnResult } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { AccountGate, AttemptEvent, ModelFailure, ModelRequest, Target } from "#model";
import type { Abilities, CallObserver, Listing, OutputLimits, ResultFiles, SessionScope } from "#tools";
import type { ContextKeeper, ContextKeeperDeps } from "./context-keeper.ts";
import type { Conversation } from "./conversation.ts";
import type { PromptSource, Transcript, TurnHooks, TurnMemory } from "./ports.ts";
import type { Remedy, RemedyContext } from "./recovery/remedy.ts";
import type { ExplainFailure } from "./turn/exit.ts";
import type { CallMoney } from "./turn/request/call-model.ts";
import type { ImageHelp } from "./turn/request/image-views.ts";
import type { RequestSettings } from "./turn/request/request.ts";
import type { Turn } from "./turn/turn.ts";

/** Everything an agent works with: what it is about, and six groups of what serves it. */
export interface AgentDeps {
  readonly conversation: Conversation;
  /** Whom it works for. */
  readonly scope: SessionScope;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly model: AgentModel;
  readonly tools: AgentTools;
  readonly record: AgentRecord;
  readonly prompt: AgentPrompt;
  readonly memory: AgentMemory;
  readonly observers: AgentObservers;
}

export interface AgentSettings {
  /** `agent.max_turns`. */
  readonly maxSteps: number;
  readonly request: RequestSettings;
  readonly maxConcurrentChildren: number;
  /** `agent.budget_hints`: tells the model at 70 and 90 % of its steps. */
  readonly budgetHints: boolean;
  /** When the steps are spent the turn is over: the model is not asked for last words. */
  readonly endsSilently?: boolean | undefined;
}

/** How models are called, what that costs, and what is done when it fails. */
export interface AgentModel {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
  readonly money: CallMoney;
  /** Treatments of what goes wrong, in order; a rollout passes fewer. */
  remedies(context: RemedyContext): readonly Remedy[];
  /** Accounts whose limit is reached for every process. */
  readonly gate?: AccountGate | undefined;
  /** Images in words for models that take none, and smaller ones for all others. */
  readonly images?: ImageHelp | undefined;
  /** Words for a failure that ends a turn, from whoever knows the provider; plain ones when absent. */
  readonly explain?: ExplainFailure | undefined;
  onRateLimits?(target: Target, headers: Readonly<Record<string, string>>): void;
  /** A target answered: credentials and learned limits may be confirmed. */
  succeeded?(target: Target): Promise<void>;
}

/** The tools of an agent, and what its own ones need. */
export interface AgentTools {
  /** The same object until the tools change: requests are compared by it. */
  listing(): Listing;
  readonly files: ResultFiles;
  readonly limits?: OutputLimits | undefined;
  /** Between two calls of a reply that run one after the other. */
  readonly pauseMs?: number | undefined;
  redact(text: string): string;
  /** What the agent can do for its own tools, besides keeping its task list. */
  abilities(): Abilities;
  observers(turn: Turn): readonly CallObserver[];
  hintsFor(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

/** What is written down. */
export interface AgentRecord {
  readonly transcript: Transcript;
  /** A request that nothing could save, for a dump without secrets. */
  onLost?(request: ModelRequest, failure: ModelFailure): Promise<void>;
}

/** What every request begins with. */
export interface AgentPrompt {
  readonly source: PromptSource;
  /** Messages in front of every conversation, never stored. */
  readonly prefill?: readonly Message[] | undefined;
  /** Text for the system prompt that is never stored. */
  ephemeral?(turn: Turn): string | undefined;
}

/** What is remembered beyond the window: outside memory, and what keeps the context within its bounds. */
export interface AgentMemory {
  readonly turns?: TurnMemory | undefined;
  keeper?(deps: ContextKeeperDeps): ContextKeeper;
}

/** Who watches. None of them can fail a turn. */
export interface AgentObservers {
  /** Where everything that happens is told. */
  readonly events: AgentEvents;
  readonly hooks?: TurnHooks | undefined;
  /** Sees every request and why it may differ from the one before. */
  onRequest?(request: ModelRequest, breakCause: string | undefined): void;
  /** After the turn's last event: background review, titles. Never awaited by the turn. */
  afterTurn?(result: TurnResult, turn: Turn): void;
  /** Time for the reports of a quiet turn; the system's when absent. */
  readonly activityClock?: Clock | undefined;
}
