import { childApprover } from "#agent";
import { absolutePath, type LoadedConfig } from "#config";
import type { AgentRequest } from "#session";
import type { Auxiliary, SessionScope, Spender } from "#tools";
import { childApprovals } from "./children.ts";

export interface ScopeDeps {
  readonly loaded: LoadedConfig;
  readonly userHome: string;
  readonly spender: Spender;
  readonly auxiliary: Auxiliary;
}

/** What belongs to a session, from what it was opened with. */
export function sessionScope(request: AgentRequest, { loaded, userHome, spender, auxiliary }: ScopeDeps): SessionScope {
  const { options, rootSessionId, prompter } = request;
  const { config } = loaded;
  return {
    key: rootSessionId,
    userId: options.userId,
    source: options.source,
    cwd: absolutePath(config.terminal.cwd, options.cwd, userHome),
    terminal: options.terminal ?? {},
    mcpServers: options.mcpServers ?? [],
    approver: childApprover(request.approver, () => childApprovals(config)),
    prompter,
    auxiliary,
    spender,
    deliver: (words) => request.deliver(words),
  };
}

export function spenderOf({ rootSessionId, options }: AgentRequest): Spender {
  return { sessionId: rootSessionId, userId: options.userId, treeId: rootSessionId };
}
