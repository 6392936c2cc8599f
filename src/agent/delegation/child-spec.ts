import type { AgentEvent, ChildStatus, Cost, SessionId, Usage } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { Slot } from "#foundation/lifecycle/slots";
import type { Clock } from "#foundation/time/clock";
import type { Target } from "#model";
import type { Listing, SessionScope, Toolsets } from "#tools";
import type { AgentDeps } from "../agent-deps.ts";
import type { Conversation } from "../conversation.ts";
import type { Transcript } from "../ports.ts";
import type { NamedAgent } from "./agent-files.ts";
import type { BackgroundChildren } from "./background-children.ts";
import type { ChildTable } from "./child-table.ts";
import type { DelegationSettings } from "./settings.ts";
import type { ChildRole, DelegatedTask } from "./task.ts";

/** Everything that is decided about a child before its parts are built. */
export interface ChildSpec {
  /** `sa-<index>-<8 hex>`: its name in events and lists, and the task id of its terminals, files and browser. */
  readonly id: string;
  readonly role: ChildRole;
  readonly depth: number;
  readonly task: DelegatedTask;
  /** Fresh and empty, on the model the child uses; the parts must be built around it. */
  readonly conversation: Conversation;
  readonly listing: Listing;
  readonly parent: ChildParent;
  /** The session at the root of the delegation: what the whole tree spends is counted there. */
  readonly treeId: string;
}

export interface ChildParent {
  readonly sessionId: SessionId;
  readonly taskId: string;
  readonly scope: SessionScope;
}

/** What a stored session of a child is known by. */
export interface ChildIdentity {
  readonly sessionId: SessionId;
  readonly source: "subagent";
  readonly model: string;
  readonly goal: string;
}

/** A child's parts; disposing them gives back its terminals, browser, processes and lease of a credential. */
export interface OpenChild extends AsyncDisposable {
  readonly deps: AgentDeps;
}

export type ChildTarget =
  | { readonly kind: "target"; readonly target: Target }
  | { readonly kind: "failure"; readonly message: string };

/** What a hook learns when a child has ended. */
export interface ChildStop {
  readonly parent_session_id: string;
  readonly child_role: ChildRole;
  readonly child_summary: string;
  readonly child_status: ChildStatus;
  readonly duration_ms: number;
}

/** What delegation needs from upstairs. None of the functions that only listen can fail a child. */
/** One answered model call of a child. */
export interface ChildCall {
  readonly target: Target;
  readonly usage: Usage;
  readonly cost: Cost;
}

export interface DelegationPorts {
  newSessionId(): SessionId;
  /**
   * Builds a child's parts around `spec.conversation`: default identity, neither the user's files nor memory in the
   * prompt. Number of steps, tools, words of the task, recording and events are set by delegation itself.
   */
  openChild(spec: ChildSpec, signal: AbortSignal): Promise<OpenChild>;
  /** Where the child's messages go: a session of its own below its parent's. */
  openChildTranscript(parent: ChildParent, child: ChildIdentity): Promise<Transcript> | Transcript;
  toolsets(): Pick<Toolsets, "resolve" | "isKnown">;
  /** The model an agent names, else the one children are configured to use; absent takes the parent's. */
  childTarget?(model: string | undefined, signal: AbortSignal): Promise<ChildTarget>;
  /** The agents that somebody wrote down; absent: none. */
  namedAgents?(): Promise<readonly NamedAgent[]>;
  /** The folder the parent works in. */
  workspace?(): string | undefined;
  /** Files that this task has read and another one has written since. */
  changedByOthers?(taskId: string): readonly string[];
  /** On the parent, once per child: its memory may keep what came back. */
  onDelegation?(task: string, result: string, child: { readonly childSessionId: string }): void;
  /** Once per child: its session is over. */
  onEnded?(sessionId: SessionId, status: ChildStatus): void;
  /** After every model call of a child, for the books. */
  onCall?(sessionId: SessionId, call: ChildCall): void;
  /** `subagent_stop`; called for one child at a time. */
  onChildStop?(stop: ChildStop): Promise<void>;
  /** Where a note goes about a child that never got an answer. */
  readonly logsFolder?: string;
  /** Masks secrets in that note. */
  redact?(text: string): string;
}

/** The agent that delegates. */
export interface DelegationParent {
  readonly conversation: Conversation;
  /** 0 for the main agent. */
  readonly depth: number;
  readonly childId?: string;
  readonly treeId?: string;
  /** Its own place, when it is a child itself. */
  readonly slot?: Slot;
  listing(): Listing;
  emit(event: AgentEvent): void;
}

export interface DelegationDeps {
  readonly parent: DelegationParent;
  /** Where children go that nobody waits for; absent: everybody is waited for. */
  readonly background?: BackgroundChildren | undefined;
  readonly table: ChildTable;
  readonly ports: DelegationPorts;
  readonly settings: DelegationSettings;
  readonly clock: Clock;
  readonly logger: Logger;
}
