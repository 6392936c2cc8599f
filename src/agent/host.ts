import type { Machine } from "#config";
import type { ChildStatus, SessionId } from "#conversation";
import type { AccountGate, FallbackEvent, Models, RateLimitLedger } from "#model";
import type { SessionScope, Toolbox } from "#tools";
import type { CompressionRecord } from "./compression/compression-run.ts";
import type { ContextEngine } from "./compression/engine.ts";
import type { ReadMessages } from "./compression/recall-tool.ts";
import type { Conversation } from "./conversation.ts";
import type { ChildCall, ChildIdentity, ChildParent, ChildStop } from "./delegation/child-spec.ts";
import type { ChildTable } from "./delegation/child-table.ts";
import type { Transcript, TurnHooks } from "./ports.ts";
import type { SkillIndex } from "./prompt/gather.ts";

/** What all agents of a process share. What belongs to one session is in its scope; what one agent is, in its choices. */
export interface AgentHost {
  readonly machine: Machine;
  readonly models: Models;
  readonly tools: AgentToolbox;
  readonly plugins: AgentPlugins;
  readonly skills: SkillIndex;
  readonly records: AgentRecords;
  readonly children: ChildTable;
  /** Accounts whose limit is reached for every process. */
  readonly accountGate: AccountGate;
  /** What providers last said about how much may still be asked. */
  readonly rateLimits: RateLimitLedger;
}

/** The tools of this machine, as agents use them. */
export type AgentToolbox = Pick<
  Toolbox,
  | "registry"
  | "redact"
  | "openSession"
  | "list"
  | "files"
  | "observers"
  | "settleFiles"
  | "release"
  | "endTurn"
  | "forgetShown"
  | "shrinkImage"
  | "managedServices"
  | "changedByOthers"
> & { readonly mcp: Pick<Toolbox["mcp"], "changes" | "hasNews" | "letIn"> };

/** Which tools an agent may have. */
export type ToolOptions = Parameters<Toolbox["list"]>[0];

/** What plugins bring for agents. */
export interface AgentPlugins {
  turnHooks(scope: SessionScope): TurnHooks;
  childStopped(scope: SessionScope, stop: ChildStop): Promise<void>;
  memoryProviders(): readonly unknown[];
  contextEngines(): readonly ContextEngine[];
}

/** Where agents write down what they do beside their own transcript. Nobody waits for what returns nothing. */
export interface AgentRecords {
  newSessionId(): SessionId;
  /** Where the messages of a child go. */
  childTranscript(parent: ChildParent, child: ChildIdentity): Promise<Transcript>;
  /** Messages that compression took out of the context. */
  readMessages(conversation: Conversation): ReadMessages;
  childCall(sessionId: SessionId, call: ChildCall): void;
  /** Its session is over. */
  childEnded(sessionId: SessionId, status: ChildStatus): void;
  fallback(sessionId: SessionId, event: FallbackEvent): void;
  compression(record: CompressionRecord): Promise<void>;
}
