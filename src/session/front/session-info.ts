import type { OpenOptions, SessionInfo } from "../api.ts";
import type { Conversation } from "../turns/conversation.ts";

/** What a surface shows of a session, read afresh. */
export function sessionInfo(
  { agent, services, transcript, title, rootId, startedAtMs }: Conversation,
  { source, cwd }: OpenOptions,
  now: Pick<SessionInfo, "isBusy" | "queued" | "skillCount">,
): SessionInfo {
  const { target, lastPromptTokens, usage, cost, fallback } = agent.conversation;
  const { source: modelSource, isDemo, windowWarning } = services.models.facts;
  return {
    id: transcript.sessionId,
    rootId,
    title: title.current,
    source,
    model: target.model,
    provider: target.provider,
    providerLabel: target.providerLabel,
    modelSource,
    isDemo,
    contextWindow: target.limits.contextWindow,
    contextTokens: lastPromptTokens,
    isWindowSmall: windowWarning !== undefined,
    usage,
    cost,
    cwd,
    startedAtMs,
    toolsets: services.tools.describe(),
    processes: services.processes.list().flatMap(({ command, state }) => (state === "running" ? [command] : [])),
    isYolo: services.approvals.isYolo,
    isPlanning: services.approvals.isPlanning,
    fallbackActive: fallback.active !== undefined,
    ...now,
  };
}
