import type {
  AgentDeps,
  AgentMemory,
  AgentModel,
  AgentObservers,
  AgentPrompt,
  AgentRecord,
  AgentTools,
} from "../agent-deps.ts";

/** The members of all groups side by side, so that a test can change a single one. */
export type FlatDeps = Pick<AgentDeps, "conversation" | "scope" | "settings" | "clock" | "logger"> &
  AgentModel &
  AgentRecord &
  AgentObservers &
  Omit<AgentPrompt, "source"> &
  Omit<AgentMemory, "turns"> & {
    readonly tools: AgentTools;
    readonly prompt: AgentPrompt["source"];
    readonly memory?: AgentMemory["turns"];
  };

export function groupedDeps(flat: FlatDeps): AgentDeps {
  return { ...flat, model: flat, record: flat, observers: flat, prompt: promptOf(flat), memory: memoryOf(flat) };
}

function promptOf({ prompt, prefill, ephemeral }: FlatDeps): AgentPrompt {
  return ephemeral === undefined ? { source: prompt, prefill } : { source: prompt, prefill, ephemeral };
}

function memoryOf({ memory, keeper }: FlatDeps): AgentMemory {
  return keeper === undefined ? { turns: memory } : { turns: memory, keeper };
}
