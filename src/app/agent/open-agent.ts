import {
  Agent,
  type AgentSettings,
  type ChildTable,
  Conversation,
  createContextKeeper,
  createPromptSource,
  createRecallExecute,
  type ReferenceDeps,
  renderPreloaded,
  savesTrajectories,
} from "#agent";
import type { LoadedConfig } from "#config";
import type { Message, SessionId } from "#conversation";
import { never } from "#foundation/abort";
import type { Clock } from "#foundation/clock";
import { Scope } from "#foundation/disposal";
import type { Logger } from "#foundation/logger";
import type { HermesHome } from "#foundation/paths";
import { type AccountGate, type Auxiliary, parseFallbackChain, type RateLimitBook, type Target } from "#model";
import type { AgentHandle, AgentSpec, OpenAgent } from "#session";
import type { Store } from "#store";
import { clarifyWith, type Listing, type Tool, type Auxiliary as ToolAuxiliary } from "#tools";
import type { Books } from "../books.ts";
import type { CallPlace, SurfaceRouter } from "../surface-router.ts";
import type { SurfaceTools } from "../surface-tools.ts";
import type { Toolbox } from "../toolbox.ts";
import type { Models } from "../wire-model.ts";
import { type AgentParts, agentDeps } from "./agent-parts.ts";
import { openDelegation } from "./children.ts";
import { type ChosenModel, chooseModel } from "./choose-model.ts";
import { createHandle } from "./handle.ts";
import { LiveSettings } from "./live-settings.ts";
import { openCompression } from "./open-compression.ts";
import { openMemory, type SessionMemory } from "./open-memory.ts";
import type { Skills } from "./open-skills.ts";
import { readPrefill } from "./prefill.ts";
import { gatherPrompt } from "./prompt-inputs.ts";
import { readSpan } from "./read-span.ts";
import { trajectorySaver } from "./save-trajectory.ts";
import { SessionTools } from "./session-tools.ts";
import { openSideWork } from "./side-work.ts";
import { summaryModelOf } from "./summary-model.ts";
import { TaintWatch } from "./taint.ts";

/** What all sessions of a process share. */
export interface SharedParts {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly userHome: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Store;
  readonly models: Models;
  readonly toolbox: Toolbox;
  readonly skills: Skills;
  readonly children: ChildTable;
  readonly surfaces: SurfaceRouter;
  readonly accountGate: AccountGate;
  /** What providers last said about how much may still be asked. */
  readonly rateLimits: RateLimitBook;
  readonly books: Books;
  /** Side calls in the form tools know them. */
  readonly lookAt: ToolAuxiliary;
  /** What a session is about to talk to; tools find out with it whether they can be used. */
  useMain(main: () => Target | undefined): void;
  /** Small side calls of one session. */
  auxiliary(sessionId: SessionId, main: () => Target | undefined): Auxiliary;
  /** Which tools each surface has, and what changes that. */
  readonly surfaceTools: SurfaceTools;
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

interface Opening {
  readonly shared: SharedParts;
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

async function open(spec: AgentSpec, opening: Opening): Promise<AgentHandle> {
  const { shared, scope, signal } = opening;
  const { toolbox, logger } = shared;
  const { config } = shared.loaded;
  const chosen = await chooseModel(modelWish(spec), shared.models, signal);
  for (const text of chosen.notices) spec.emit({ type: "notice", level: "info", text });
  shared.useMain(() => chosen.target);
  const tools = await SessionTools.open(
    { list: (stop) => toolbox.list(listingWish(spec, shared), stop), refresh: (stop) => toolbox.mcp.refresh(stop) },
    signal,
  );
  const taint = new TaintWatch();
  const memory = await memoryOf(spec, { ...opening, listing: tools.listing, taint });
  // Whoever has no use for the notes has none for what stands beside them.
  if (memory !== undefined && tools.listing.names.has("memory")) tools.extend(memory.manager.tools);
  const live = new LiveSettings(config);
  const preloaded = await preload(spec, shared, signal);
  const prefill = await readPrefill(config.agent.prefill_messages_file, {
    home: shared.home.root,
    userHome: shared.userHome,
  });
  const { entries, warnings } = parseFallbackChain(config);
  for (const warning of warnings) logger.warn(warning);
  const conversation = new Conversation({
    sessionId: spec.sessionId,
    rootSessionId: spec.rootSessionId,
    history: spec.history,
    target: chosen.target,
    fallbackChain: entries,
  });
  const auxiliary = shared.auxiliary(spec.rootSessionId, () => conversation.target);
  const prompt = promptOf(spec, { shared, conversation, tools, memory, signal });
  const agentTools = new Map<string, Tool["execute"]>();
  agentTools.set("clarify", clarifyWith(spec.askUser, config.clarify.timeout * 1000));
  agentTools.set("context_recall", createRecallExecute(readSpan(conversation, shared.store)));
  if (memory !== undefined) agentTools.set("memory", memory.execute);
  scope.adopt(shared.surfaces.add(spec.rootSessionId, { spec, place: () => placeOf(spec, conversation, tools) }));
  const base = partsOf(spec, {
    shared,
    chosen,
    conversation,
    prompt,
    tools,
    memory,
    taint,
    live,
    preloaded,
    prefill,
    agentTools,
  });
  const side = scope.adopt(openSideWork(base, spec, { ...shared, auxiliary }));
  const compression = openCompression({
    ...base,
    auxiliary,
    emit: (event) => spec.emit(event),
    flush: (history, stop) => side.flush("compression", history, stop),
    summaryModel: () => summaryModelOf(auxiliary, conversation, shared.models),
    record: (record) => shared.store.turns.recordCompression(record),
  });
  await compression.start(signal);
  scope.defer(() => compression.end(never));
  const save = savesTrajectories(spec.wish.saveTrajectories, config.agent.save_trajectories)
    ? trajectorySaver({
        folder: spec.wish.cwd,
        maxSteps: base.settings.maxSteps,
        clock: shared.clock,
        logger,
        listing: () => tools.listing,
      })
    : undefined;
  agentTools.set("delegate_task", openDelegation(base, { ...shared, auxiliary }));
  let saving = Promise.resolve();
  scope.defer(() => saving);
  const deps = agentDeps({
    ...base,
    place: {
      ...base.place,
      emit: (event) => {
        if (event.type === "usage") compression.observe(event.usage);
        spec.emit(event);
      },
    },
    keeper: createContextKeeper(compression),
    afterTurn: (result, turn) => {
      taint.reset();
      side.turnEnded(result, turn);
      if (save !== undefined) saving = saving.then(() => save(result));
      spec.onTurnEnd(result);
    },
  });
  const agent = new Agent(deps);
  return createHandle({
    shared,
    spec,
    agent,
    conversation,
    chosen,
    tools,
    memory,
    live,
    auxiliary,
    compression,
    side,
    scope,
  });
}

/** What plugins run tools with in this session. */
function placeOf(
  { rootSessionId, wish }: AgentSpec,
  { sessionId }: Conversation,
  { listing }: SessionTools,
): CallPlace {
  return {
    taskId: rootSessionId,
    sessionId,
    sessionKey: rootSessionId,
    surface: wish.source,
    enabledTools: listing.names,
  };
}

interface Gathered {
  readonly shared: SharedParts;
  readonly chosen: ChosenModel;
  readonly conversation: Conversation;
  readonly prompt: ReturnType<typeof createPromptSource>;
  readonly tools: SessionTools;
  readonly memory: SessionMemory | undefined;
  readonly taint: TaintWatch;
  readonly live: LiveSettings;
  readonly preloaded: string;
  readonly prefill: readonly Message[];
  readonly agentTools: ReadonlyMap<string, Tool["execute"]>;
}

function partsOf(spec: AgentSpec, given: Gathered): AgentParts {
  const { shared, live, tools } = given;
  return {
    place: {
      surface: spec.wish.source,
      cwd: spec.wish.cwd,
      sessionId: spec.sessionId,
      sessionKey: spec.rootSessionId,
      spentUsd: spec.spentUsd,
      emit: (event) => spec.emit(event),
    },
    conversation: given.conversation,
    transcript: spec.transcript,
    prompt: given.prompt,
    config: shared.loaded.config,
    env: shared.loaded.environment.variables,
    clock: shared.clock,
    logger: shared.logger,
    models: shared.models,
    toolbox: shared.toolbox,
    chosen: given.chosen,
    memory: given.memory,
    taint: given.taint,
    listing: () => tools.listing,
    agentTools: given.agentTools,
    accountGate: shared.accountGate,
    rateLimits: shared.rateLimits,
    onFallback: (sessionId, event) => shared.books.fallback(sessionId, event),
    dumpFolder: shared.home.sessions,
    lookAt: shared.lookAt,
    prefill: given.prefill,
    ephemeral: () =>
      [shared.loaded.config.agent.system_prompt, live.personalityText, given.preloaded]
        .filter((text) => text !== "")
        .join("\n\n"),
    settings: agentSettings(spec, shared, live),
  };
}

function modelWish({ wish }: AgentSpec) {
  return {
    isOneShot: !wish.isInteractive,
    ...(wish.model === undefined ? {} : { model: wish.model }),
    ...(wish.provider === undefined ? {} : { provider: wish.provider }),
  };
}

async function memoryOf(
  { wish, sessionId }: AgentSpec,
  { shared, scope, signal, listing, taint }: Opening & { readonly listing: Listing; readonly taint: TaintWatch },
): Promise<SessionMemory | undefined> {
  if (wish.ignoreRules === true) return undefined;
  const { loaded, home, clock, logger, toolbox } = shared;
  const options = {
    loaded,
    home,
    clock,
    logger,
    sessionId,
    surface: wish.source,
    cwd: wish.cwd,
    pluginProviders: toolbox.plugins.memoryProviders(),
    takenToolNames: listing.names,
    taintedBy: () => taint.source,
  };
  return scope.adopt(await openMemory(options, signal));
}

function promptOf(
  spec: AgentSpec,
  given: {
    readonly shared: SharedParts;
    readonly conversation: Conversation;
    readonly tools: SessionTools;
    readonly memory: SessionMemory | undefined;
    readonly signal: AbortSignal;
  },
) {
  const { shared, conversation, tools, memory, signal } = given;
  const { wish } = spec;
  return createPromptSource({
    hasHistory: spec.history.length > 0,
    load: () => spec.prompt.load(),
    save: (text, record) => spec.prompt.save(text, record),
    gather: async () =>
      gatherPrompt(
        {
          loaded: shared.loaded,
          home: shared.home,
          logger: shared.logger,
          cwd: wish.cwd,
          surface: wish.source,
          listing: tools.listing,
          model: conversation.primary.model,
          provider: conversation.primary.provider,
          startedAtMs: spec.startedAtMs,
          skipsFiles: wish.ignoreRules === true,
          memory: await memory?.snapshot(),
          providerBlock: memory?.manager.promptBlock,
          skills: hasSkillTools(tools.listing) ? shared.skills : undefined,
          ...(wish.systemMessage === undefined ? {} : { systemMessage: wish.systemMessage }),
          ...(wish.passSessionId === true ? { rootSessionId: spec.rootSessionId } : {}),
        },
        signal,
      ),
  });
}

/** The toolsets of this surface, or those that were asked for. */
function listingWish({ wish }: AgentSpec, { surfaceTools }: SharedParts) {
  const { enabledToolsets, disabledTools } = surfaceTools.wishFor(wish.source);
  return {
    enabledToolsets: wish.toolsets ?? enabledToolsets,
    disabledTools,
    ...(wish.disabledToolsets === undefined ? {} : { disabledToolsets: wish.disabledToolsets }),
  };
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
