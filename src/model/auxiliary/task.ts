import type { Secret } from "#foundation/secrets/secret";

/** Work a side model does for the main conversation. */
export const auxiliaryTasks = [
  "vision",
  "web_extract",
  "compression",
  "session_search",
  "approval",
  "mcp",
  "title_generation",
  "flush_memories",
] as const;

export type AuxiliaryTask = (typeof auxiliaryTasks)[number];

/** `auxiliary.<task>` of the configuration, by the names it has there. Empty texts count as absent. */
export interface TaskSettings {
  readonly provider?: string;
  readonly model?: string;
  readonly base_url?: string;
  readonly api_key?: Secret;
  readonly key_env?: string;
  readonly api_mode?: string;
  /** Seconds one call may take. */
  readonly timeout?: number;
  readonly temperature?: number;
  readonly extra_body?: Readonly<Record<string, unknown>>;
  readonly fallback?: readonly unknown[];
  /** How many calls of this task run at the same time. */
  readonly max_concurrency?: number;
}

export type AuxiliarySettings = { readonly [task in AuxiliaryTask]?: TaskSettings } & {
  /** Whether `auto` begins with the main model or with the cheap one of its provider. */
  readonly prefer?: "main" | "cheap";
};

interface TaskDefaults {
  readonly provider: "auto" | "main";
  readonly timeoutSeconds: number;
  readonly maxConcurrency?: number;
}

export const taskDefaults: Readonly<Record<AuxiliaryTask, TaskDefaults>> = {
  vision: { provider: "auto", timeoutSeconds: 120 },
  web_extract: { provider: "auto", timeoutSeconds: 360 },
  compression: { provider: "auto", timeoutSeconds: 120 },
  session_search: { provider: "auto", timeoutSeconds: 30, maxConcurrency: 3 },
  approval: { provider: "auto", timeoutSeconds: 30 },
  mcp: { provider: "auto", timeoutSeconds: 30 },
  title_generation: { provider: "auto", timeoutSeconds: 30 },
  flush_memories: { provider: "main", timeoutSeconds: 60 },
};

export function timeoutMsOf(task: AuxiliaryTask, settings: TaskSettings | undefined): number {
  const seconds = settings?.timeout;
  return 1_000 * (seconds !== undefined && seconds > 0 ? seconds : taskDefaults[task].timeoutSeconds);
}
