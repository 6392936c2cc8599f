import { childApprovals, childApprover } from "#agent";
import { absolutePath, type Machine } from "#config";
import type { Spender } from "#conversation";
import type { Auxiliary, SessionScope } from "#tools";
import type { AgentRequest } from "./session-agent.ts";

/** What belongs to a session, from what it was opened with. */
export function sessionScope(
  request: AgentRequest,
  { loaded, userHome }: Machine,
  { spender, auxiliary }: { readonly spender: Spender; readonly auxiliary: Auxiliary },
): SessionScope {
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
    isAttended: options.isInteractive,
    deliver: (words) => request.deliver(words),
  };
}

export function spenderOf({ rootSessionId, options }: AgentRequest): Spender {
  return { sessionId: rootSessionId, userId: options.userId, treeId: rootSessionId };
}
