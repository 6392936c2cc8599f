import { childApprover } from "#agent";
import type { LoadedConfig } from "#config";
import { Secret } from "#foundation/secrets/secret";
import type { AgentSpec } from "#session";
import type { Auxiliary, Prompter, SessionScope, Spender } from "#tools";
import { absolutePath } from "../tools/absolute-path.ts";
import { childApprovals } from "./children.ts";

export interface ScopeParts {
  readonly loaded: LoadedConfig;
  readonly userHome: string;
  readonly spender: Spender;
  readonly auxiliary: Auxiliary;
}

/** What belongs to a session, from what it was opened with. */
export function sessionScope(spec: AgentSpec, { loaded, userHome, spender, auxiliary }: ScopeParts): SessionScope {
  const { wish, rootSessionId } = spec;
  const { config } = loaded;
  return {
    key: rootSessionId,
    userId: wish.userId,
    source: wish.source,
    cwd: absolutePath(config.terminal.cwd, wish.cwd, userHome),
    terminal: wish.terminal ?? {},
    mcpServers: wish.mcpServers ?? [],
    approver: childApprover(spec.approver, () => childApprovals(config)),
    prompter: prompterOf(spec),
    auxiliary,
    spender,
    deliver: (words) => spec.deliver(words),
  };
}

export function spenderOf({ rootSessionId, wish }: AgentSpec): Spender {
  return { sessionId: rootSessionId, userId: wish.userId, treeId: rootSessionId };
}

function prompterOf(spec: AgentSpec): Prompter {
  return {
    question: (text, choices, signal) => spec.askPerson(text, choices, signal),
    async secret({ prompt, kind, variable }, signal) {
      if (!spec.wish.isInteractive) return { kind: "nobody" };
      const what = variable === undefined ? { kind } : { kind, variable };
      const typed = await spec.askSecret(prompt, what, signal);
      return typed === undefined || typed === "" ? { kind: "declined" } : { kind: "secret", secret: new Secret(typed) };
    },
  };
}
