import { type AgentSettings, type ContextKeeper, keepEverything, type ReferenceDeps, renderPreloaded } from "#agent";
import type { LoadedConfig } from "#config";
import type { SessionId } from "#conversation";
import type { Clock } from "#foundation/clock";
import { Scope } from "#foundation/disposal";
import type { Logger } from "#foundation/logger";
import type { HermesHome } from "#foundation/paths";
import type { Auxiliary, Target } from "#model";
import type { AgentHandle, AgentSpec, OpenAgent } from "#session";
import { clarifyWith, type Listing, surfaceToolsets, type Tool, Toolsets } from "#tools";
import type { ApproverRouter } from "../approver-router.ts";
import type { Toolbox } from "../toolbox.ts";
import type { Models } from "../wire-model.ts";
import { chooseModel } from "./choose-model.ts";
import { createHandle } from "./handle.ts";
import { LiveSettings } from "./live-settings.ts";
import { openMemory } from "./open-memory.ts";
import type { Skills } from "./open-skills.ts";
import { gatherPrompt } from "./prompt-inputs.ts";
import { openSessionAgent } from "./session-agent.ts";
import { TaintWatch } from "./taint.ts";

/** What all sessions of a process share. */
export interface SharedParts {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly userHome: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly models: Models;
  readonly toolbox: Toolbox;
  readonly skills: Skills;
  /** Tools that need the session's own things, by name: `session_search` and the like. */
  sessionTools(spec: AgentSpec): ReadonlyMap<string, Tool["execute"]>;
  /** Small side calls of one session. */
  auxiliary(sessionId: SessionId, main: () => Target | undefined): Auxiliary;
  readonly approvers: ApproverRouter;
  /** Keeps the tools of a surface in the configuration; a line for the person. */
  setTools(surface: string, names: readonly string[], isEnabled: boolean): Promise<string>;
  saveModel(target: Target): Promise<void>;
  fetchText: ReferenceDeps["fetchText"];
}

/** Builds what a session thinks and acts with. */
export function createOpenAgent(shared: SharedParts): OpenAgent {
  return async (spec, signal) => {
    const scope = new Scope();
    try {
      return await open(spec, { shared, scope, signal });
    } catch (error) {
      await scope[Symbol.asyncDispose]();
      throw error;
    }
  };
}

async function open(
  spec: AgentSpec,
  { shared, scope, signal }: { readonly shared: SharedParts; readonly scope: Scope; readonly signal: AbortSignal },
): Promise<AgentHandle> {
  const { loaded, toolbox, models, clock, logger, home, skills } = shared;
  const { config } = loaded;
  const { wish } = spec;
  const chosen = scope.adopt(
    await chooseModel(
      {
        isOneShot: !wish.isInteractive,
        ...(wish.model === undefined ? {} : { model: wish.model }),
        ...(wish.provider === undefined ? {} : { provider: wish.provider }),
      },
      models,
      signal,
    ),
  );
  for (const text of chosen.notices) spec.emit({ type: "notice", level: "info", text });
  const listing = await toolbox.list(listingWish(spec, shared), signal);
  const taint = new TaintWatch();
  const memory =
    wish.ignoreRules === true
      ? undefined
      : scope.adopt(
          await openMemory(
            {
              loaded,
              home,
              clock,
              logger,
              sessionId: spec.sessionId,
              surface: wish.source,
              cwd: wish.cwd,
              pluginProviders: toolbox.plugins.memoryProviders(),
              takenToolNames: listing.names,
              taintedBy: () => taint.source,
            },
            signal,
          ),
        );
  const live = new LiveSettings(config);
  const preloaded = await preload(spec, shared, signal);
  const agentTools = new Map<string, Tool["execute"]>(shared.sessionTools(spec));
  agentTools.set("clarify", clarifyWith(spec.askUser, config.clarify.timeout * 1000));
  if (memory !== undefined) agentTools.set("memory", memory.execute);
  scope.adopt(shared.approvers.add(spec.rootSessionId, spec.approver));
  const { agent, conversation } = openSessionAgent({
    spec,
    config,
    env: loaded.environment.variables,
    clock,
    logger,
    models,
    toolbox,
    chosen,
    memory,
    taint,
    listing: () => listing,
    agentTools,
    gatherPrompt: async () =>
      gatherPrompt(
        {
          loaded,
          home,
          logger,
          cwd: wish.cwd,
          surface: wish.source,
          listing,
          model: conversation.primary.model,
          provider: conversation.primary.provider,
          startedAtMs: spec.startedAtMs,
          skipsFiles: wish.ignoreRules === true,
          memory: await memory?.snapshot(),
          providerBlock: memory?.manager.promptBlock,
          skills: hasSkillTools(listing) ? skills : undefined,
          ...(wish.passSessionId === true ? { rootSessionId: spec.rootSessionId } : {}),
        },
        signal,
      ),
    keeper: (): ContextKeeper => keepEverything,
    ephemeral: () => [live.personalityText, preloaded].filter((text) => text !== "").join("\n\n"),
    settings: () => agentSettings(spec, shared, live),
    afterTurn: (result) => {
      taint.reset();
      spec.onTurnEnd(result);
    },
  });
  const auxiliary = shared.auxiliary(spec.rootSessionId, () => conversation.target);
  return createHandle({ shared, spec, agent, conversation, chosen, listing, memory, live, auxiliary, scope });
}

/** The toolsets of this surface, or those that were asked for. */
function listingWish({ wish }: AgentSpec, { loaded, toolbox }: SharedParts) {
  const { config } = loaded;
  const snapshot = toolbox.registry.snapshot();
  const enabledToolsets =
    wish.toolsets ??
    surfaceToolsets(
      {
        surface: wish.source,
        ...(config.platform_toolsets[wish.source] === undefined
          ? {}
          : { listed: config.platform_toolsets[wish.source] ?? [] }),
        pluginToolsets: [],
        knownPluginToolsets: [],
        mcpServers: Object.keys(config.mcp_servers),
      },
      new Toolsets(snapshot, config.custom_toolsets),
    );
  return { enabledToolsets, disabledTools: config.disabled_tools[wish.source] ?? [] };
}

function hasSkillTools(listing: Listing): boolean {
  return ["skills_list", "skill_view", "skill_manage"].some((name) => listing.names.has(name));
}

async function preload(spec: AgentSpec, { skills, logger }: SharedParts, signal: AbortSignal): Promise<string> {
  const names = spec.wish.skills ?? [];
  const outcomes = await Promise.all(
    names.map((name) => skills.loader.load(name, { surface: spec.wish.source, sessionId: spec.sessionId, signal })),
  );
  const loaded = outcomes.flatMap((outcome, index) => {
    if (outcome.kind === "loaded") return [outcome.loaded];
    const text = `The skill ${names[index]} could not be loaded.`;
    logger.warn(text);
    spec.emit({ type: "notice", level: "warn", text });
    return [];
  });
  return loaded.length === 0 ? "" : renderPreloaded(loaded);
}

function agentSettings({ wish }: AgentSpec, { loaded }: SharedParts, live: LiveSettings): AgentSettings {
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
