import type { Approver } from "./approval-request.ts";
import type { Auxiliary } from "./auxiliary.ts";
import type { Prompter, SessionScope } from "./session-scope.ts";

/** The default everywhere: no approver means denied. */
export const denyAll: Approver = { ask: () => Promise.resolve("deny") };

const reason = "no model is connected";

export const noAuxiliary: Auxiliary = {
  ask: () => Promise.resolve({ kind: "unavailable", reason }),
  canSee: () => Promise.resolve({ reason }),
  complete: () => Promise.resolve({ kind: "failed", reason, isFinal: true }),
  sample: () => Promise.resolve({ kind: "unavailable", reason }),
};

/** Nobody is there to be asked. */
export const nobody: Prompter = {
  question: () => Promise.resolve({ kind: "nobody" }),
  secret: () => Promise.resolve({ kind: "nobody" }),
};

/** A session without a person and without a model: nothing is approved, answered, delivered or summarised. */
export function unattendedScope(
  facts: Pick<SessionScope, "key" | "cwd" | "source"> & Partial<SessionScope>,
): SessionScope {
  return {
    userId: undefined,
    terminal: {},
    mcpServers: [],
    approver: denyAll,
    prompter: nobody,
    auxiliary: noAuxiliary,
    spender: { sessionId: facts.key, userId: undefined, treeId: facts.key },
    deliver: () => false,
    ...facts,
  };
}
