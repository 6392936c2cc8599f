import {
  Agent,
  type Compression,
  Conversation,
  createContextKeeper,
  type createPromptSource,
  createRecallExecute,
  openSideCalls,
  savesTrajectories,
  toolSideCalls,
} from "#agent";
import type { Config } from "#config";
import type { Message } from "#conversation";
import { UserError } from "#foundation/errors";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { type Auxiliary, parseFallbackChain, type Target } from "#model";
import {
  type AgentRequest,
  type AgentServices,
  accountService,
  checkpointService,
  memoryService,
  modelService,
  type OpenAgent,
  referenceService,
  type SessionAgent,
  skillService,
  titleService,
  toolService,
  windowRule,
} from "#session";
import { clarifyWith, type Listing, readPageWith, type SessionScope, sessionFolder, type Tool } from "#tools";
import { type AgentParts, agentDeps } from "./agent-parts.ts";
import { openDelegation } from "./children.ts";
import { type ChosenModel, chooseModel } from "./choose-model.ts";
import { LiveSettings } from "./live-settings.ts";
import { openCompression } from "./open-compression.ts";
import { openMemory, type SessionMemory } from "./open-memory.ts";
import { readPrefill } from "./prefill.ts";
import { readSpan } from "./read-span.ts";
import { trajectorySaver } from "./save-trajectory.ts";
import { promptOf } from "./session-prompt.ts";
import { sessionScope as scopeOf, spenderOf } from "./session-scope.ts";
import { SessionTools } from "./session-tools.ts";
import { agentSettings, listingWish, modelWish, preload } from "./session-wish.ts";
import type { SharedParts } from "./shared-parts.ts";
import { openSideWork, type SideWork } from "./side-work.ts";
import { summaryModelOf } from "./summary-model.ts";
import { TaintWatch } from "./taint.ts";

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

/** What was asked for by name and does not exist is said; otherwise the tools would just be missing. */
function unknownToolsets({ options }: AgentRequest, { listing }: SessionTools): readonly string[] {
  return listing.unknownToolsets
    .filter((name) => options.toolsets?.includes(name) === true)
    .map((name) => `There is no toolset "${name}". See them with: hermes tools list`);
}

async function open(spec: AgentRequest, opening: Opening): Promise<SessionAgent> {
  const { shared, scope, signal } = opening;
  const { logger } = shared;
  const { config } = shared.loaded;
  const { entries: fallbackChain, warnings } = parseFallbackChain(config);
  for (const warning of warnings) logger.warn(warning);
  const chosen = await chooseModel({ ...modelWish(spec), fallbackChain, logger }, shared.models, signal);
  const smallWindow = acceptWindow(chosen.target, config);
  for (const text of chosen.notices) spec.events.emit({ type: "notice", level: "info", text });
  for (const text of [chosen.fallbackNotice, smallWindow])
    if (text !== undefined) spec.events.emit({ type: "notice", level: "warn", text });
  const conversation = newConversation(spec, chosen);
  const spender = spenderOf(spec);
  const auxiliary = openSideCalls(
    {
      models: shared.models,
      logger,
      settings: () => config.auxiliary,
      record: (sessionId, call) => shared.books.sideCall(sessionId, call),
    },
    {
      spender,
      main: () => conversation.target,
      warn: (text) => spec.events.emit({ type: "notice", level: "warn", text }),
    },
  );
  const sessionScope = scopeOf(spec, { ...shared, spender, auxiliary: toolSideCalls(auxiliary, shared, spender) });
  const tools = await openSessionTools(spec, { ...opening, conversation, sessionScope });
  for (const text of unknownToolsets(spec, tools)) spec.events.emit({ type: "notice", level: "warn", text });
  const taint = new TaintWatch();
  const memory = await memoryOf(spec, { ...opening, listing: tools.listing, taint });
  // Whoever has no use for the notes has none for what stands beside them.
  if (memory !== undefined && tools.listing.names.has("memory")) tools.extend(memory.manager.tools);
  const live = new LiveSettings(shared.loaded);
  if (live.problem !== undefined) spec.events.emit({ type: "notice", level: "warn", text: live.problem });
  const preloaded = await preload(spec, { ...shared, scope: sessionScope }, signal);
  const prefill = await readPrefill(config.agent.prefill_messages_file, {
    home: shared.home.root,
    userHome: shared.userHome,
  });
  const prompt = promptOf(spec, { shared, conversation, tools, memory, signal });
  const agentTools = new Map<string, Tool["execute"]>();
  agentTools.set("clarify", clarifyWith(spec.askUser, config.clarify.timeout * 1000));
  agentTools.set("context_recall", createRecallExecute(readSpan(conversation, shared.store)));
  if (memory !== undefined) agentTools.set("memory", memory.execute);
  const base = partsOf(spec, {
    shared,
    sessionScope,
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
    emit: (event) => spec.events.emit(event),
    flush: (history, stop) => side.flush("compression", history, stop),
    summaryModel: () => summaryModelOf(auxiliary, conversation, shared.models),
    record: (record) => shared.store.turns.recordCompression(record),
  });
  tools.extend(compression.engineTools(tools.listing.names));
  await compression.start(signal);
  scope.adopt(spec.events.observe("compression", compression));
  scope.defer(() => compression.end(never));
  const save = savesTrajectories(spec.options.saveTrajectories, config.agent.save_trajectories)
    ? trajectorySaver({
        folder: spec.options.cwd,
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
    keeper: createContextKeeper(compression),
    afterTurn: (result, turn) => {
      taint.reset();
      side.turnEnded(result, turn);
      saving = saving.then(async () => {
        await shared.toolbox.endTurn(sessionScope.key);
        await save?.(result);
      });
    },
  });
  const agent = new Agent(deps);
  return {
    agent,
    services: servicesOf(spec, {
      shared,
      sessionScope,
      agent,
      chosen,
      tools,
      memory,
      live,
      auxiliary,
      compression,
      side,
    }),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

/** Refuses to begin with a window that is too small; what should be known about one that was accepted. */
function acceptWindow(target: Target, config: Config): string | undefined {
  const found = windowRule(target, config);
  if (found.kind === "refused") throw new UserError(found.message, { hint: found.hint, code: found.code });
  return found.kind === "warning" ? found.message : undefined;
}

interface ServiceDeps {
  readonly shared: SharedParts;
  readonly sessionScope: SessionScope;
  readonly agent: Agent;
  readonly chosen: ChosenModel;
  readonly tools: SessionTools;
  readonly memory: SessionMemory | undefined;
  readonly live: LiveSettings;
  readonly auxiliary: Auxiliary;
  readonly compression: Compression;
  readonly side: SideWork;
}

function servicesOf({ options, sessionId }: AgentRequest, deps: ServiceDeps): AgentServices {
  const { shared, sessionScope: scope, agent, chosen, tools, memory, live, compression, side } = deps;
  const { toolbox, models, loaded, home } = shared;
  const { conversation } = agent;
  const { config, environment } = loaded;
  return {
    models: modelService({
      agent,
      chosen,
      config,
      context: models.context,
      redactor: toolbox.redactor,
      choices: (signal) => models.choices(signal),
      save: (target) => shared.saveModel(target),
    }),
    skills: skillService({ ...shared.skills, scope, sessionId }),
    tools: toolService({
      shown: tools,
      setEnabled: (names, isEnabled) => shared.surfaceTools.set(options.source, names, isEnabled),
      reloadMcp: (signal) => toolbox.mcp.reload(scope, signal),
    }),
    checkpoints: checkpointService({
      snapshots: toolbox.snapshots,
      folder: () => sessionFolder(scope),
      onTakenBack: () => toolbox.takenBack(scope.key),
    }),
    memory: memoryService({
      memory,
      scope,
      sessionId,
      flush: async (reason, signal) => void (await side.flush(reason, conversation.history, signal)),
    }),
    account: accountService({
      clock: shared.clock,
      rateLimits: shared.rateLimits,
      registry: models.context.registry,
      target: () => conversation.target,
    }),
    approvals: {
      get isYolo() {
        return toolbox.yolo.isOn(scope.key);
      },
      setYolo: (isOn) => (toolbox.yolo.isOn(scope.key) === isOn ? isOn : toolbox.yolo.toggle(scope.key)),
    },
    behaviour: live,
    context: {
      async compress(focus, signal) {
        const outcome = await compression.compressNow(focus, signal);
        return outcome.kind === "smaller" ? { before: outcome.tokensBefore, after: outcome.tokensAfter } : undefined;
      },
    },
    processes: {
      list: () =>
        toolbox.processes
          .list(scope.key)
          .map(({ facts, state }) => ({ id: facts.id, command: facts.command, state: state.kind })),
      stopAll: () => toolbox.processes.killAll(scope.key),
    },
    references: referenceService({
      folder: options.cwd,
      hermesHome: home.root,
      home: shared.userHome,
      env: environment.variables,
      windowTokens: () => conversation.target.limits.contextWindow,
      fetchText: readPageWith(toolbox.registry, scope),
    }),
    titles: titleService(deps.auxiliary, chosen),
  };
}

function newConversation(spec: AgentRequest, chosen: ChosenModel): Conversation {
  return new Conversation({
    sessionId: spec.sessionId,
    rootSessionId: spec.rootSessionId,
    history: spec.history,
    target: chosen.target,
    fallbackChain: chosen.fallbackChain,
  });
}

/** What the session works with from now on; it all ends with the session. */
async function openSessionTools(
  spec: AgentRequest,
  { shared, scope, signal, conversation, sessionScope }: Opening & ToolsOf,
): Promise<SessionTools> {
  const { toolbox } = shared;
  let enabledTools: ReadonlySet<string> = new Set();
  scope.adopt(
    toolbox.openSession({
      scope: sessionScope,
      sessionId: () => conversation.sessionId,
      enabledTools: () => enabledTools,
    }),
  );
  return await SessionTools.open(
    {
      list: async (stop) => {
        const listing = await toolbox.list(listingWish(spec, shared), sessionScope, stop);
        enabledTools = listing.names;
        return listing;
      },
      refresh: (stop) => toolbox.mcp.refresh(sessionScope, stop),
    },
    signal,
  );
}

interface ToolsOf {
  readonly conversation: Conversation;
  readonly sessionScope: SessionScope;
}

interface Gathered {
  readonly shared: SharedParts;
  readonly sessionScope: SessionScope;
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

function partsOf(spec: AgentRequest, given: Gathered): AgentParts {
  const { shared, live, tools } = given;
  return {
    place: {
      scope: given.sessionScope,
      cwd: spec.options.cwd,
      sessionId: spec.sessionId,
      sessionKey: spec.rootSessionId,
      spentUsd: spec.spentUsd,
      events: spec.events,
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
    plugins: shared.plugins,
    chosen: given.chosen,
    memory: given.memory,
    taint: given.taint,
    listing: () => tools.listing,
    agentTools: given.agentTools,
    accountGate: shared.accountGate,
    rateLimits: shared.rateLimits,
    onFallback: (sessionId, event) => shared.books.fallback(sessionId, event),
    dumpFolder: shared.home.sessions,
    prefill: given.prefill,
    ephemeral: () =>
      [shared.loaded.config.agent.system_prompt, live.personalityText, given.preloaded]
        .filter((text) => text !== "")
        .join("\n\n"),
    settings: agentSettings(spec, shared, live),
  };
}

async function memoryOf(
  { options: wanted, sessionId }: AgentRequest,
  { shared, scope, signal, listing, taint }: Opening & { readonly listing: Listing; readonly taint: TaintWatch },
): Promise<SessionMemory | undefined> {
  if (wanted.ignoreRules === true) return undefined;
  const { loaded, home, clock, logger } = shared;
  const options = {
    loaded,
    home,
    clock,
    logger,
    sessionId,
    surface: wanted.source,
    userId: wanted.userId,
    cwd: wanted.cwd,
    pluginProviders: shared.plugins.memoryProviders,
    takenToolNames: listing.names,
    taintedBy: () => taint.source,
  };
  return scope.adopt(await openMemory(options, signal));
}
