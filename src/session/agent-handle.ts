import type { Agent, Transcript } from "#agent";
import type { AgentEvents, Content, Message, SessionId, ToolDefinition, TurnResult } from "#conversation";
import type { Approver, AskUser, DeliveredWords, PersonAnswer } from "#tools";
import type { OpenWish, PickerItem, ToolsetInfo } from "./api.ts";

/**
 * What a session needs to think and act, built by whoever wires the program together. The session knows
 * what happens when; the handle knows with which parts.
 */
export interface AgentHandle extends AsyncDisposable {
  readonly agent: Agent;
  /** Facts for people, read afresh each time. */
  facts(): AgentFacts;
  readonly models: ModelChoices;
  readonly skills: SkillChoices;
  readonly tools: ToolChoices;
  /** Compresses now; undefined when there is nothing to compress. */
  compress(
    focus: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly before: number; readonly after: number } | undefined>;
  readonly checkpoints: CheckpointChoices;
  /** Approvals off for this session. */
  setYolo(isOn: boolean): boolean;
  /** These three: why it cannot be done here, or undefined when it is done. */
  setReasoning(effort: string): string | undefined;
  setPersonality(name: string): string | undefined;
  setFast(isOn: boolean): string | undefined;
  /** Background processes of this session. */
  processes(): readonly { readonly id: string; readonly command: string; readonly state: string }[];
  stopProcesses(): Promise<number>;
  /** Rate limits, balance: lines for `/usage`. */
  account(signal: AbortSignal): Promise<readonly string[]>;
  reloadMcp(signal: AbortSignal): Promise<string>;
  readonly memory: MemoryChoices;
  /** Words for the model are about to be lost: one chance to keep what is worth keeping. */
  flush(reason: "reset" | "resume" | "exit" | "expiry", signal: AbortSignal): Promise<void>;
  /** A title of a few words for these messages, or undefined when no model can be asked. */
  suggestTitle(messages: readonly Message[], signal: AbortSignal): Promise<string | undefined>;
  /** References such as `@file:` replaced by what they stand for; problems become warnings. */
  expand(text: string, signal: AbortSignal): Promise<{ readonly text: string; readonly warnings: readonly string[] }>;
  /** Words with images (paths or data URLs) as this model takes them: as parts, or described. Absent: as parts. */
  attachImages?(
    text: string,
    images: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly content: Content; readonly warnings: readonly string[] }>;
  /** Between two turns, right before the next: lets changed tools in. */
  beforeTurn?(signal: AbortSignal): Promise<void>;
  /** What the model is shown of its tools, for the session log. */
  definitions?(): readonly ToolDefinition[];
  /** False hides `/fast`: the model has one speed only. */
  hasFastMode?(): boolean;
}

export interface AgentFacts {
  readonly modelSource: string;
  readonly isDemo: boolean;
  readonly toolsets: readonly ToolsetInfo[];
  readonly isYolo: boolean;
  readonly warnings: readonly string[];
  /** Where the size of the context window is known from, for `/usage`. */
  readonly contextSource?: string;
}

export interface ModelChoices {
  list(signal: AbortSignal): Promise<readonly PickerItem[]>;
  /** Changes the model of this session, and with `global` the saved choice. A message for the person either way. */
  switch(
    wish: { readonly model: string; readonly provider?: string; readonly isGlobal: boolean },
    signal: AbortSignal,
  ): Promise<{ readonly ok: boolean; readonly message: string }>;
}

export interface SkillChoices {
  /** Slash names of visible skills. */
  commands(): Promise<readonly { readonly slug: string; readonly description: string }[]>;
  /** The message a skill command becomes: what is sent and what is stored. */
  invoke(
    slug: string,
    text: string,
    signal: AbortSignal,
  ): Promise<{ readonly sent: string; readonly stored: string } | undefined>;
}

export interface ToolChoices {
  /** Lines for `/tools list`. */
  describe(): readonly ToolsetInfo[];
  /** Takes effect by a new session; a message for the person. */
  setEnabled(names: readonly string[], isEnabled: boolean): Promise<string>;
}

export interface CheckpointChoices {
  list(
    signal: AbortSignal,
  ): Promise<
    readonly { readonly id: string; readonly atMs: number; readonly reason: string; readonly files?: number }[]
  >;
  diff(id: string, signal: AbortSignal): Promise<string>;
  restore(id: string, file: string | undefined, signal: AbortSignal): Promise<string>;
}

export interface MemoryChoices {
  /** Writes that wait for the person. */
  pending(): Promise<readonly { readonly id: string; readonly text: string; readonly source: string }[]>;
  confirm(id: string): Promise<string>;
  reject(id: string): Promise<string>;
}

/** What the session hands to the builder of a handle. */
export interface AgentSpec {
  readonly sessionId: SessionId;
  readonly rootSessionId: SessionId;
  readonly wish: OpenWish;
  readonly history: readonly Message[];
  readonly transcript: Transcript;
  /** The stored prompt of a session that goes on. */
  readonly prompt: PromptStorage;
  readonly approver: Approver;
  readonly askUser: AskUser | undefined;
  /** A password or a key, typed where nobody sees it; undefined when it is refused. */
  askSecret(
    prompt: string,
    what: { readonly kind: "sudo" | "secret"; readonly variable?: string },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** A question that is not the model's: of a server, or about one. */
  askPerson(question: string, choices: readonly string[], signal: AbortSignal): Promise<PersonAnswer>;
  /** Words that arrive by themselves and begin a turn; false when the session takes none any more. */
  deliver(words: DeliveredWords): boolean;
  readonly startedAtMs: number;
  /** The one bus of the session. */
  readonly events: AgentEvents;
  onTurnEnd(result: TurnResult): void;
  /** What the session had spent before. */
  readonly spentUsd: number;
}

export interface PromptStorage {
  load(): Promise<{ readonly text: string; readonly record?: unknown } | undefined>;
  save(text: string, record: unknown): Promise<void>;
}

export type OpenAgent = (spec: AgentSpec, signal: AbortSignal) => Promise<AgentHandle>;
