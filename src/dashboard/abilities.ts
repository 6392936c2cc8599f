/** The skills and toolsets of a surface: what there is, where it is from, and whether it is on. A change counts for the next conversation. */
export interface Abilities {
  skills(surface: string, signal: AbortSignal): Promise<readonly SkillFacts[]>;
  switchSkill(skill: Switch, signal: AbortSignal): Promise<void>;
  toolsets(surface: string): Promise<readonly ToolsetFacts[]>;
  switchToolset(toolset: Switch): Promise<void>;
}

export interface Switch {
  readonly name: string;
  readonly surface: string;
  readonly isOn: boolean;
}

export interface SkillFacts {
  readonly name: string;
  readonly category: string;
  readonly description: string;
  readonly source: string;
  readonly trust: string;
  readonly state: "usable" | "disabled" | "unsupported";
  /** What a skill from a hub was when it was installed. */
  readonly pin: string | undefined;
}

export interface ToolsetFacts {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly isOn: boolean;
  /** False where this program has no tool of it. */
  readonly isAvailable: boolean;
  /** Tools of an MCP server whose definitions are held to what they were at first. */
  readonly pinned: readonly string[];
}
