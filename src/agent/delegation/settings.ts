import type { FallbackEntry } from "#model";

/** `delegation.*`, as far as it decides how children run. */
export interface DelegationSettings {
  /** Tasks of one call; also how many run at once. */
  readonly maxConcurrentChildren: number;
  /** Levels of children below the main agent. */
  readonly maxSpawnDepth: number;
  readonly isOrchestratorEnabled: boolean;
  /** Steps of one child; the parent's own steps are not touched. */
  readonly maxSteps: number;
  /** Wall clock, from the start of the child. */
  readonly childTimeoutMs: number;
  /** A child that asked for few toolsets keeps its parent's MCP tools. */
  readonly inheritsMcpTools: boolean;
  /** Without a chain of their own, children use the parent's. */
  readonly inheritsFallback: boolean;
  /** The children's own chain; empty means none. */
  readonly fallbackChain?: readonly FallbackEntry[];
  /** Programs that may run as a child over ACP. */
  readonly acpCommands: readonly string[];
}

export const defaultDelegationSettings: DelegationSettings = {
  maxConcurrentChildren: 3,
  maxSpawnDepth: 1,
  isOrchestratorEnabled: true,
  maxSteps: 50,
  childTimeoutMs: 600_000,
  inheritsMcpTools: true,
  inheritsFallback: true,
  acpCommands: [],
};

const shortestTimeoutMs = 30_000;
const deepestSpawn = 3;

/** The settings within their bounds, whatever the configuration said. */
export function boundedSettings(input: Partial<DelegationSettings> = {}): DelegationSettings {
  const all = { ...defaultDelegationSettings, ...input };
  return {
    ...all,
    maxConcurrentChildren: atLeast(1, all.maxConcurrentChildren),
    maxSpawnDepth: Math.min(deepestSpawn, atLeast(1, all.maxSpawnDepth)),
    maxSteps: atLeast(1, all.maxSteps),
    childTimeoutMs: atLeast(shortestTimeoutMs, all.childTimeoutMs),
  };
}

function atLeast(floor: number, value: number): number {
  return Number.isFinite(value) ? Math.max(floor, Math.floor(value)) : floor;
}
