import type { AgentSettings } from "#agent";
import type { AgentSpec } from "#session";
import { renderPreloaded } from "#skills";
import type { SessionScope } from "#tools";
import type { LiveSettings } from "./live-settings.ts";
import type { SharedParts } from "./shared-parts.ts";

/** What was asked for when the session was opened, in the words of the parts that fulfil it. */
export function modelWish({ wish }: AgentSpec) {
  return {
    isOneShot: !wish.isInteractive,
    ...(wish.model === undefined ? {} : { model: wish.model }),
    ...(wish.provider === undefined ? {} : { provider: wish.provider }),
  };
}

/** The toolsets of this surface, or those that were asked for. */
export function listingWish({ wish }: AgentSpec, { surfaceTools }: SharedParts) {
  const { enabledToolsets, disabledTools } = surfaceTools.wishFor(wish.source);
  return {
    enabledToolsets: wish.toolsets ?? enabledToolsets,
    disabledTools,
    ...(wish.disabledToolsets === undefined ? {} : { disabledToolsets: wish.disabledToolsets }),
  };
}

/** Skills for the whole session, as text; one that cannot be loaded is told of and left out. */
export async function preload(
  spec: AgentSpec,
  { skills, logger, scope }: Pick<SharedParts, "skills" | "logger"> & { readonly scope: SessionScope },
  signal: AbortSignal,
): Promise<string> {
  const names = spec.wish.skills ?? [];
  const outcomes = await Promise.all(
    names.map((name) => skills.loader.load(name, { scope, sessionId: spec.sessionId, signal })),
  );
  const loaded = outcomes.flatMap((outcome, index) => {
    if (outcome.kind === "loaded") return [outcome.loaded];
    const text = `The skill ${names[index]} could not be loaded.`;
    logger.warn(text);
    spec.events.emit({ type: "notice", level: "warn", text });
    return [];
  });
  return loaded.length === 0 ? "" : renderPreloaded(loaded);
}

export function agentSettings({ wish }: AgentSpec, { loaded }: SharedParts, live: LiveSettings): AgentSettings {
  const { agent, delegation } = loaded.config;
  return {
    maxSteps: wish.maxSteps ?? agent.max_turns,
    maxConcurrentChildren: delegation.max_concurrent_children,
    budgetHints: agent.budget_hints,
    get request() {
      return live.request;
    },
  };
}
