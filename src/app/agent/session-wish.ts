import type { AgentSettings } from "#agent";
import type { AgentRequest } from "#session";
import { renderPreloaded } from "#skills";
import type { SessionScope } from "#tools";
import type { LiveSettings } from "./live-settings.ts";
import type { SharedParts } from "./shared-parts.ts";

/** What was asked for when the session was opened, in the words of the parts that fulfil it. */
export function modelWish({ options }: AgentRequest) {
  return {
    isOneShot: !options.isInteractive,
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.provider === undefined ? {} : { provider: options.provider }),
  };
}

/** The toolsets of this surface, or those that were asked for. */
export function listingWish({ options }: AgentRequest, { surfaceTools }: SharedParts) {
  const { enabledToolsets, disabledTools } = surfaceTools.wishFor(options.source);
  return {
    enabledToolsets: options.toolsets ?? enabledToolsets,
    disabledTools,
    ...(options.disabledToolsets === undefined ? {} : { disabledToolsets: options.disabledToolsets }),
  };
}

/** Skills for the whole session, as text; one that cannot be loaded is told of and left out. */
export async function preload(
  spec: AgentRequest,
  { skills, logger, scope }: Pick<SharedParts, "skills" | "logger"> & { readonly scope: SessionScope },
  signal: AbortSignal,
): Promise<string> {
  const names = spec.options.skills ?? [];
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

export function agentSettings({ options }: AgentRequest, { loaded }: SharedParts, live: LiveSettings): AgentSettings {
  const { agent, delegation } = loaded.config;
  return {
    maxSteps: options.maxSteps ?? agent.max_turns,
    maxConcurrentChildren: delegation.max_concurrent_children,
    budgetHints: agent.budget_hints,
    get request() {
      return live.request;
    },
  };
}
