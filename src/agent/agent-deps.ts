import type { AgentEvents, Message, TurnResult } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { AccountGate, AttemptEvent, ModelFailure, ModelRequest, Target } from "#model";
import type { CallObserver, Listing, OutputLimits, ResultFiles, SessionScope, Tool } from "#tools";
import type { CallMoney } from "./call-model.ts";
import type { ContextKeeper, ContextKeeperDeps } from "./context-keeper.ts";
import type { Conversation } from "./conversation.ts";
import type { ExplainFailure } from "./exit.ts";
import type { ImageHelp } from "./image-views.ts";
import type { LoopGuardLimits } from "./loop-guard.ts";
import type { PromptSource, Transcript, TurnHooks, TurnMemory } from "./ports.ts";
import type { Remedy, RemedyContext } from "./recovery/remedy.ts";
import type { RequestSettings } from "./request.ts";
import type { Turn } from "./turn.ts";

export interface AgentSettings {
  /** `agent.max_turns`. */
  readonly maxSteps: number;
  readonly request: RequestSettings;
  readonly maxConcurrentChildren: number;
  /** `agent.budget_hints`: tells the model at 70 and 90 % of its steps. */
  readonly budgetHints: boolean;
  readonly loopGuard?: LoopGuardLimits;
}

export const defaultAgentSettings: AgentSettings = {
  maxSteps: 90,
  request: {},
  maxConcurrentChildren: 3,
  budgetHints: false,
};

/** The tools of an agent, and what its own ones need. */
export interface AgentTools {
  /** The same object until the tools change: requests are compared by it. */
  listing(): Listing;
  readonly files: ResultFiles;
  readonly limits?: OutputLimits;
  /** Between two calls of a reply that run one after the other. */
  readonly pauseMs?: number;
  redact(text: string): string;
  /** Tools that work on the agent's own state, besides `todo`. */
  readonly agentTools: ReadonlyMap<string, Tool["execute"]>;
  observers(turn: Turn): readonly CallObserver[];
  hintsFor(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

export interface AgentDeps {
  readonly conversation: Conversation;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: AgentSettings;
  /** Whom it works for. */
  readonly scope: SessionScope;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
  readonly money: CallMoney;
  readonly transcript: Transcript;
  readonly prompt: PromptSource;
  readonly tools: AgentTools;
  readonly hooks?: TurnHooks;
  readonly memory?: TurnMemory;
  readonly prefill?: readonly Message[];
  ephemeral?(turn: Turn): string | undefined;
  /** Images in words for models that take none, and smaller ones for all others. */
  readonly images?: ImageHelp;
  /** Accounts whose limit is reached for every process. */
  readonly gate?: AccountGate;
  /** Time for the reports of a quiet turn; the system's when absent. */
  readonly activityClock?: Clock;
  /** Treatments of what goes wrong, in order; a rollout passes fewer. */
  remedies(context: RemedyContext): readonly Remedy[];
  keeper?(deps: ContextKeeperDeps): ContextKeeper;
  /** Where everything that happens is told. */
  readonly events: AgentEvents;
  onRateLimits?(target: Target, headers: Readonly<Record<string, string>>): void;
  /** A target answered: credentials and learned limits may be confirmed. */
  succeeded?(target: Target): Promise<void>;
  /** Words for a failure that ends a turn, from whoever knows the provider; plain ones when absent. */
  readonly explain?: ExplainFailure;
  /** A request that nothing could save, for a dump without secrets. */
  onLost?(request: ModelRequest, failure: ModelFailure): Promise<void>;
  /** Sees every request and why it may differ from the one before. */
  onRequest?(request: ModelRequest, breakCause: string | undefined): void;
  /** After the turn's last event: background review, titles. Never awaited by the turn. */
  afterTurn?(result: TurnResult, turn: Turn): void;
}
