import { childApprovals, childApprover } from "#agent";
import { absolutePath, type Machine } from "#config";
import type { Spender } from "#conversation";
import type { Auxiliary, SessionScope } from "#tools";
import type { OpenOptions } from "../api.ts";
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
    userId: guestOf(options),
    source: options.source,
    cwd: absolutePath(config.terminal.cwd, options.cwd, userHome),
    terminal: options.terminal ?? {},
    mcpServers: options.mcpServers ?? [],
    approver: childApprover(request.approver, () => childApprovals(config)),
    prompter,
    auxiliary,
    spender,
    isAttended: options.isInteractive,
    chat: options.chat,
    deliver: (words) => request.deliver(words),
  };
}

/** Who is not the owner of the home; the owner has no name in it. */
export function guestOf({ userId, isOwner }: Pick<OpenOptions, "userId" | "isOwner">): string | undefined {
  return isOwner === true ? undefined : userId;
}

export function spenderOf({ rootSessionId, options }: AgentRequest): Spender {
  return { sessionId: rootSessionId, userId: options.userId, treeId: rootSessionId };
}
