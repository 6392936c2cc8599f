import type { readNamedAgents } from "#agent";
import type { ListedRule, PermissionEffect } from "#tools";
import type { AccountService } from "./account.ts";
import type { CheckpointService } from "./checkpoints.ts";
import type { MemoryService } from "./memory.ts";
import type { ModelService } from "./models.ts";
import type { SkillService } from "./skills.ts";
import type { TitleService } from "./titles.ts";
import type { ToolService } from "./tools.ts";

/**
 * What a session and its commands can do with the agent of a conversation. Each service stands beside what it
 * serves; a command names those it takes.
 */
export interface AgentServices {
  readonly models: ModelService;
  /** The agents that children can be started as. */
  readonly agents: { list(): ReturnType<typeof readNamedAgents> };
  readonly skills: SkillService;
  readonly tools: ToolService;
  readonly checkpoints: CheckpointService;
  readonly memory: MemoryService;
  readonly account: AccountService;
  readonly approvals: ApprovalService;
  readonly behaviour: BehaviourService;
  readonly context: ContextService;
  readonly processes: ProcessService;
  readonly references: ReferenceService;
  readonly titles: TitleService;
}

/** Whether flagged commands are asked about. */
export interface ApprovalService {
  readonly isYolo: boolean;
  /** Approvals off or on for this session; gives what is in force now. */
  setYolo(isOn: boolean): boolean;
  /** The rules that count in this session, and what each has decided. */
  rules(): Promise<readonly ListedRule[]>;
  /** A rule for this session; a text says why it cannot be one. */
  addRule(effect: PermissionEffect, text: string): Promise<string | undefined>;
  removeRule(text: string): Promise<boolean>;
  /** True while nothing may be changed, because a plan is being made. */
  readonly isPlanning: boolean;
  setPlanning(isOn: boolean): void;
}

/** How the model answers. Each change counts from the next request on; a text says why it cannot be made. */
export interface BehaviourService {
  /** As it was asked for; empty leaves it to the provider. */
  readonly reasoning: string;
  readonly personality: string;
  readonly isFast: boolean;
  setReasoning(effort: string): string | undefined;
  setPersonality(name: string): string | undefined;
  setFast(isOn: boolean): void;
}

/** Something that fills the window. */
export interface ContextShare {
  readonly source: string;
  /** Estimated. */
  readonly tokens: number;
}

export interface ContextService {
  /** What the next request would hold, by where it comes from. */
  shares(): Promise<readonly ContextShare[]>;
  /** Compresses now; undefined when there is nothing to compress. */
  compress(
    focus: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly before: number; readonly after: number } | undefined>;
}

/** Background processes of the session. */
export interface ProcessService {
  list(): readonly { readonly id: string; readonly command: string; readonly state: string }[];
  stopAll(): Promise<number>;
}

/** References such as `@file:` in what a person types. */
export interface ReferenceService {
  /** Each replaced by what it stands for; problems become warnings. */
  expand(
    text: string,
    signal: AbortSignal,
  ): Promise<{
    readonly text: string;
    /** The references whose content is attached, and about how many tokens that takes. */
    readonly attached: readonly string[];
    readonly attachedTokens: number;
    readonly warnings: readonly string[];
    readonly untrusted?: string | undefined;
  }>;
}
