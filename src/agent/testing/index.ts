import type { AgentSettings } from "../agent-deps.ts";
import type { CallMoney } from "../turn/request/call-model.ts";

/** Builders for tests of whatever has an agent. */
export { MemoryManager } from "../memory/manager.ts";
export { standardRemedies } from "../recovery/standard.ts";

export const defaultAgentSettings: AgentSettings = {
  maxSteps: 90,
  request: {},
  maxConcurrentChildren: 3,
  budgetHints: false,
};

/** No ceilings and no prices: tests that count tokens only. */
export const freeOfCharge: CallMoney = {
  reserve: () => Promise.resolve({ id: "" }),
  settle: () => Promise.resolve({ status: "included", source: "none", usd: 0 }),
  release: () => Promise.resolve(),
};
