import type { Message, SessionId } from "#conversation";

/**
 * What the loop needs from upstairs. A surface with a store and a rollout without one hand in
 * different implementations of the same few functions.
 */

/** Where the messages of a session are kept. */
export interface Transcript {
  /** Called before the model sees the messages and before a tool runs because of them. One uid is one message. */
  record(messages: readonly Message[]): Promise<void>;
  /** The same messages with another form for requests (`sent`); what they say stays as it was recorded. */
  amend(messages: readonly Message[]): Promise<void>;
  /** Ends this part of the session by compression and begins the next with these messages, all or nothing. */
  split(messages: readonly Message[]): Promise<SessionId>;
  /** Takes messages out again (a request that would only kill the session the next time too). */
  forget(uids: readonly string[]): Promise<void>;
}

/** For rollouts and tests: nothing outlives the process. */
export function unrecorded(sessionId: SessionId): Transcript {
  return {
    record: () => Promise.resolve(),
    amend: () => Promise.resolve(),
    split: () => Promise.resolve(sessionId),
    forget: () => Promise.resolve(),
  };
}

/** The frozen system prompt of a session. */
export interface PromptSource {
  /** Built on the first call of a new session, read back on every later one: the same bytes each time. */
  text(): Promise<string>;
  /** The same text by where it comes from; one piece where that is not known any more. */
  layers(): Promise<readonly { readonly name: string; readonly text: string }[]>;
  /** After compression: rebuilds the layers whose inputs changed, and says which. */
  refresh(): Promise<{ readonly text: string; readonly changedLayers: readonly string[] }>;
  /** After an explicit change of model or tools. */
  rebuild(facts: { readonly model: string; readonly provider: string }): Promise<void>;
}

/** Plugins and providers that watch a turn; every function may be absent. None of them may fail a turn. */
export interface TurnHooks {
  /** Once, when a new session's prompt is first built. */
  onSessionStart?(facts: { readonly sessionId: SessionId; readonly model: string }): Promise<void>;
  /** Text for the user message of this turn only. */
  turnContext?(
    facts: {
      readonly sessionId: SessionId;
      readonly userText: string;
      readonly history: readonly Message[];
      readonly model: string;
      readonly isFirstTurn: boolean;
    },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  beforeRequest?(facts: RequestFacts, signal: AbortSignal): Promise<void>;
  afterRequest?(facts: RequestFacts & ResponseFacts, signal: AbortSignal): Promise<void>;
  /** Only when there is a final text and nobody interrupted. */
  afterAnswer?(facts: {
    readonly sessionId: SessionId;
    readonly userText: string;
    readonly answer: string;
    readonly history: readonly Message[];
    readonly model: string;
  }): Promise<void>;
  onTurnEnd?(facts: {
    readonly sessionId: SessionId;
    readonly completed: boolean;
    readonly interrupted: boolean;
    readonly model: string;
  }): Promise<void>;
}

/** Counts and sizes only: never a key, never the raw request or response. */
export interface RequestFacts {
  readonly sessionId: SessionId;
  readonly taskId: string;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly protocol: string;
  readonly step: number;
  readonly messageCount: number;
  readonly toolCount: number;
  readonly estimatedTokens: number;
  /** Of the prompt and the messages. */
  readonly characters: number;
  readonly maxOutputTokens?: number;
}

interface ResponseFacts {
  readonly durationMs: number;
  readonly finish: string;
  readonly usage: Readonly<Record<string, number>>;
  readonly textLength: number;
  readonly callCount: number;
}

/** The external memory of a session, as far as a turn talks to it. */
export interface TurnMemory {
  onTurnStart(userText: string): void;
  /** Recalled text for this turn, within its deadline; undefined when there is none. */
  recall(userText: string, signal: AbortSignal): Promise<string | undefined>;
  /** After an answered turn; returns at once. */
  sync(userText: string, answer: string): void;
}
