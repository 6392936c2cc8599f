import type { OpenWish, SessionInfo } from "./api.ts";
import type { LiveAgent } from "./live-agent.ts";

/** What a surface shows of a session, read afresh. */
export function sessionInfo(
  live: LiveAgent,
  wish: OpenWish,
  now: { readonly isBusy: boolean; readonly queued: readonly string[]; readonly skillCount: number },
): SessionInfo {
  const { handle, transcript, title } = live;
  const { conversation } = handle.agent;
  const { target } = conversation;
  const facts = handle.facts();
  return {
    id: transcript.sessionId,
    rootId: live.rootId,
    title: title.current,
    source: wish.source,
    model: target.model,
    provider: target.provider,
    providerLabel: target.providerLabel,
    modelSource: facts.modelSource,
    isDemo: facts.isDemo,
    contextWindow: target.limits.contextWindow,
    contextTokens: conversation.lastPromptTokens,
    usage: conversation.usage,
    cost: conversation.cost,
    cwd: wish.cwd,
    startedAtMs: live.startedAtMs,
    toolsets: facts.toolsets,
    skillCount: now.skillCount,
    isYolo: facts.isYolo,
    isBusy: now.isBusy,
    queued: now.queued,
    fallbackActive: conversation.fallback.active !== undefined,
  };
}
