/**
 * Everything a system prompt is made from, already read: building it touches no file, clock or setting.
 * A block that has no content may be absent or empty; both mean that its layer is left out.
 */
export interface PromptInputs {
  /** Text of SOUL.md, trimmed, scanned and capped (see `loadSoul`); absent gives the default identity. */
  readonly soul?: string;
  /** Delegated and batch turns: no files of the user speak in the prompt. */
  readonly skipContextFiles?: boolean;
  /** Names of the tools this session offers. */
  readonly toolNames: readonly string[];
  /** What those tools want said about them, in their order. */
  readonly toolGuidance?: readonly string[];
  readonly model: string;
  readonly provider: string;
  readonly toolUseEnforcement: ToolUseEnforcement;
  /** Tools a subscription pays for. */
  readonly managedCapabilities?: readonly ManagedCapability[];
  /** The caller's own instructions, taken verbatim. */
  readonly systemMessage?: string;
  /** Frozen snapshot of the notes, rendered. */
  readonly memoryBlock?: string;
  /** Frozen snapshot of the user profile, rendered. */
  readonly profileBlock?: string;
  /** Static text of the external memory provider. */
  readonly providerBlock?: string;
  /** The list of installed skills, rendered. */
  readonly skillsIndex?: string;
  /** The agents that children can be started as, rendered. */
  readonly agents?: string;
  /** The project's own instructions, rendered (see `loadContextFiles`). */
  readonly contextFiles?: string;
  readonly session: SessionFacts;
  readonly environment: EnvironmentFacts;
  /** Where the conversation happens: `cli`, `telegram`, ... */
  readonly platform?: string;
}

/** `agent.tool_use_enforcement`: a switch, the word `auto`, a word people write for yes or no, or parts of model names. */
export type ToolUseEnforcement = boolean | string | readonly string[];

export interface ManagedCapability {
  /** What the user would call it, such as "web search". */
  readonly label: string;
  /** The tools it stands behind; it is mentioned when one of them is enabled. */
  readonly toolNames: readonly string[];
  readonly isActive: boolean;
}

export interface SessionFacts {
  readonly startedAtMs: number;
  /** IANA name; empty means the machine's own. */
  readonly timeZone: string;
  /** First session of the lineage; given only when the model is to know it (`pass_session_id`). */
  readonly rootSessionId?: string;
}

interface EnvironmentFacts {
  readonly isWsl: boolean;
  readonly isTermux: boolean;
}
