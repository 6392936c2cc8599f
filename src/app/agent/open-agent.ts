import {
  Agent,
  Conversation,
  createContextKeeper,
  type createPromptSource,
  createRecallExecute,
  openSideCalls,
  savesTrajectories,
  toolSideCalls,
} from "#agent";
import type { Message } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { parseFallbackChain } from "#model";
import type { AgentHandle, AgentSpec, OpenAgent } from "#session";
import { clarifyWith, type Listing, type SessionScope, type Tool } from "#tools";
import { type AgentParts, agentDeps } from "./agent-parts.ts";
import { openDelegation } from "./children.ts";
import { type ChosenModel, chooseModel } from "./choose-model.ts";
import { createHandle } from "./handle.ts";
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
import { openSideWork } from "./side-work.ts";
import { summaryModelOf } from "./summary-model.ts";
import { TaintWatch } from "./taint.ts";
import { acceptWindow } from "./window-rule.ts";

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
function unknownToolsets({ wish }: AgentSpec, { listing }: SessionTools): readonly string[] {
  return listing.unknownToolsets
    .filter((name) => wish.toolsets?.includes(name) === true)
    .map((name) => `There is no toolset "${name}". See them with: hermes tools list`);
}

async function open(spec: AgentSpec, opening: Opening): Promise<AgentHandle> {
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
  await compression.start(signal);
  scope.adopt(spec.events.observe("compression", compression));
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
    keeper: createContextKeeper(compression),
    afterTurn: (result, turn) => {
      taint.reset();
      side.turnEnded(result, turn);
      saving = saving.then(async () => {
        await shared.toolbox.endTurn(sessionScope.key);
        await save?.(result);
      });
      spec.onTurnEnd(result);
    },
  });
  const agent = new Agent(deps);
  return createHandle({
    shared,
    spec,
    sessionScope,
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

function newConversation(spec: AgentSpec, chosen: ChosenModel): Conversation {
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
  spec: AgentSpec,
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

function partsOf(spec: AgentSpec, given: Gathered): AgentParts {
  const { shared, live, tools } = given;
  return {
    place: {
      scope: given.sessionScope,
      cwd: spec.wish.cwd,
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
    userId: wish.userId,
    cwd: wish.cwd,
    pluginProviders: toolbox.plugins.memoryProviders(),
    takenToolNames: listing.names,
    taintedBy: () => taint.source,
  };
  return scope.adopt(await openMemory(options, signal));
}
