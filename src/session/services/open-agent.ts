import {
  type AgentHost,
  type AgentSettings,
  type AssembledAgent,
  assembleAgent,
  Conversation,
  LiveSettings,
  openSideCalls,
  readNamedAgents,
  readPrefill,
  savesTrajectories,
  toolSideCalls,
} from "#agent";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import {
  type Auxiliary,
  demoProvider,
  type FallbackEntry,
  type Models,
  parseFallbackChain,
  readModelName,
  remoteHermesTarget,
  type Target,
  withTextHistory,
} from "#model";
import { renderPreloaded, type SkillHub, type SkillLibrary, type SkillLoader } from "#skills";
import { readPageWith, type SessionScope, type SurfaceTools, sessionFolder, type Toolbox } from "#tools";
import { accountService } from "./account.ts";
import { checkpointService } from "./checkpoints.ts";
import { type ChosenModel, chooseModel, onlyModel } from "./choose-model.ts";
import { contextShares } from "./context-shares.ts";
import { memoryService } from "./memory.ts";
import { modelService, windowRule } from "./models.ts";
import { saveModel } from "./preferences.ts";
import { referenceService } from "./references.ts";
import { followingWork } from "./remote-work.ts";
import type { AgentServices } from "./services.ts";
import type { AgentRequest, OpenAgent } from "./session-agent.ts";
import { guestOf, sessionScope, spenderOf } from "./session-scope.ts";
import { skillService } from "./skills.ts";
import { titleService } from "./titles.ts";
import { toolService } from "./tools.ts";

/** What sessions need of the program beyond what every agent has. */
export interface SessionHost extends Omit<AgentHost, "tools" | "skills"> {
  readonly tools: Toolbox;
  readonly skills: {
    readonly library: SkillLibrary;
    readonly loader: SkillLoader;
    hub(cwd: string): Promise<SkillHub>;
  };
  /** Which tools each surface has, and what changes that. */
  readonly surfaceTools: SurfaceTools;
}

/** Builds what a session thinks and acts with: a model, a scope, an agent, and the services over it. */
export function createOpenAgent(shared: SessionHost): OpenAgent {
  return async (request, signal) => {
    const { options } = request;
    const host = hostOf(request, shared);
    const { machine } = host;
    const { config } = machine.loaded;
    const chosen = await modelOf(request, host, signal);
    const isRemote = options.remote !== undefined;
    tellAbout(chosen, request, host);
    const conversation = new Conversation({
      sessionId: request.sessionId,
      rootSessionId: request.rootSessionId,
      history: request.history,
      target: chosen.target,
      fallbackChain: chosen.fallbackChain,
    });
    const { scope, auxiliary } = scopeOf(request, { host, conversation });
    const live = new LiveSettings(machine.loaded);
    if (live.problem !== undefined) tell(request, live.problem, "warn");
    const preloaded = await preload(request, { host, scope }, signal);
    const ephemeral = (): string =>
      isRemote
        ? ""
        : [config.agent.system_prompt, live.personalityText, preloaded].filter((text) => text !== "").join("\n\n");
    const assembled = await assembleAgent({ ...host, skills: host.skills.library }, scope, {
      conversation,
      chosen,
      auxiliary,
      events: request.events,
      transcript: request.transcript,
      startedAtMs: request.startedAtMs,
      settings: settingsOf(request, { host, live }),
      tools: () => toolOptions(request, host, conversation.target),
      askUser: request.askUser,
      triesOnce: isRemote,
      hasMemory: !isRemote && options.ignoreRules !== true && options.usesMemory !== false,
      trajectories: trajectoriesOf(options, config.agent.save_trajectories),
      prompt: {
        storage: request.prompt,
        usesFiles: options.ignoreRules !== true,
        systemMessage: options.systemMessage,
        whole: isRemote ? (options.systemMessage ?? "") : undefined,
        showsSessionId: options.passSessionId,
        prefill: isRemote ? [] : await readPrefill(machine),
        ephemeral,
      },
      signal,
    });
    // `none` asks for no tools at all. What was asked for by name and does not exist is said; otherwise the tools would just be missing.
    for (const name of assembled.tools.listing.unknownToolsets)
      if (name !== "none" && options.toolsets?.includes(name) === true)
        missing(request, `There is no toolset "${name}".`, "See them with: hermes tools list");
    if (options.isPlanning === true) host.tools.plan.set(scope.key, true);
    const services = servicesOf(request, { host, scope, chosen, assembled, live, auxiliary, ephemeral });
    return { agent: assembled.agent, services, [Symbol.asyncDispose]: () => assembled[Symbol.asyncDispose]() };
  };
}

function hostOf(request: AgentRequest, shared: SessionHost): SessionHost {
  const { records, options, sessionId, events, approver, prompter } = request;
  const host = records === undefined ? shared : { ...shared, records };
  if (options.remote === undefined) return host;
  const { models, machine } = host;
  const stream = followingWork((sent, signal) => models.stream(withTextHistory(sent), signal), {
    remote: options.remote,
    sessionId,
    isOwner: guestOf(options) === undefined,
    events,
    approver,
    prompter,
    clock: machine.clock,
    logger: machine.logger,
  });
  return { ...host, models: { ...models, stream } };
}

async function modelOf(
  { options, sessionId }: AgentRequest,
  { machine, models }: SessionHost,
  signal: AbortSignal,
): Promise<ChosenModel> {
  const { model, provider, baseUrl, remote, isInteractive, fallback } = options;
  if (remote !== undefined) return onlyModel(remoteHermesTarget(remote, sessionId));
  const { entries, warnings } = parseFallbackChain((await machine.settingsNow()).config);
  for (const warning of warnings) machine.logger.warn(warning);
  const fallbackChain = fallback === undefined ? entries : fallback.flatMap((name) => fallbackNamed(name, models));
  return await chooseModel(
    { model, provider, baseUrl, isOneShot: !isInteractive, fallbackChain, logger: machine.logger },
    models,
    signal,
  );
}

function fallbackNamed(name: string, { context }: Models): readonly FallbackEntry[] {
  const { provider, model } = readModelName(name, context);
  return provider === undefined || model === undefined ? [] : [{ provider, model }];
}

function trajectoriesOf({ cwd, saveTrajectories }: AgentRequest["options"], setting: boolean) {
  if (saveTrajectories === "sample") return { folder: cwd, as: "sample" as const };
  return savesTrajectories(saveTrajectories, setting) ? { folder: cwd, as: "turns" as const } : undefined;
}

function tell({ events }: AgentRequest, text: string, level: "info" | "warn"): void {
  events.emit({ type: "notice", level, text });
}

/** Refuses to begin with a window that is too small; says what should be known about the model. */
function tellAbout(chosen: ChosenModel, request: AgentRequest, { machine }: SessionHost): void {
  const window = windowRule(chosen.target, machine.loaded.config);
  if (window.kind === "refused") throw new UserError(window.message, { hint: window.hint, code: window.code });
  for (const text of chosen.notices) tell(request, text, "info");
  if (chosen.fallbackNotice !== undefined) tell(request, chosen.fallbackNotice, "warn");
  if (window.kind === "warning") tell(request, window.message, "warn");
}

function scopeOf(
  request: AgentRequest,
  { host, conversation }: { readonly host: SessionHost; readonly conversation: Conversation },
): { readonly scope: SessionScope; readonly auxiliary: Auxiliary } {
  const { models, machine } = host;
  const spender = spenderOf(request);
  const auxiliary = openSideCalls(
    {
      models,
      logger: machine.logger,
      settings: () => machine.loaded.config.auxiliary,
    },
    { spender, main: () => conversation.target, warn: (text) => tell(request, text, "warn") },
  );
  const forTools = toolSideCalls(auxiliary, { models }, spender);
  return { auxiliary, scope: sessionScope(request, machine, { spender, auxiliary: forTools }) };
}

/** The toolsets that were asked for, else those of this surface; a model on this machine reads a short list of its own. */
function toolOptions({ options }: AgentRequest, { surfaceTools, machine }: SessionHost, target: Target) {
  if (options.remote !== undefined) return { enabledToolsets: ["none"] };
  const { enabledToolsets, disabledTools } = surfaceTools.requestFor(options.source);
  const { toolsets, moreToolsets = [], disabledToolsets } = options;
  const usual = target.isServedHere === true ? machine.loaded.config.local.toolsets : enabledToolsets;
  return {
    enabledToolsets: [...(toolsets ?? usual), ...moreToolsets],
    disabledTools,
    ...defined({ disabledToolsets }),
  };
}

/** What was asked for by name is not there: a person is told and goes on; a script gets no answer made without it. */
function missing(request: AgentRequest, message: string, hint: string): void {
  if (!request.options.isInteractive) throw new UserError(message, { code: "not_found", hint, exitCode: 2 });
  tell(request, `${message} ${hint}`, "warn");
}

/** Skills for the whole session, as text; one that cannot be loaded is told of and left out. */
async function preload(
  request: AgentRequest,
  { host, scope }: { readonly host: SessionHost; readonly scope: SessionScope },
  signal: AbortSignal,
): Promise<string> {
  const names = request.options.remote === undefined ? (request.options.skills ?? []) : [];
  const { loader } = host.skills;
  const load = (name: string) => loader.load(name, { scope, sessionId: request.sessionId, signal });
  const outcomes = await Promise.all(names.map(load));
  const loaded = outcomes.flatMap((outcome, index) => {
    if (outcome.kind === "loaded") return [outcome.loaded];
    missing(request, `The skill ${names[index]} could not be loaded.`, "See them with: hermes skills list");
    return [];
  });
  return loaded.length === 0 ? "" : renderPreloaded(loaded);
}

function settingsOf(
  { options }: AgentRequest,
  { host, live }: { readonly host: SessionHost; readonly live: LiveSettings },
): AgentSettings {
  const { agent, delegation } = host.machine.loaded.config;
  return {
    maxSteps: options.maxSteps ?? agent.max_turns,
    maxConcurrentChildren: delegation.max_concurrent_children,
    budgetHints: agent.budget_hints,
    get request() {
      return live.request;
    },
  };
}

interface ServiceDeps {
  readonly host: SessionHost;
  readonly scope: SessionScope;
  readonly chosen: ChosenModel;
  readonly assembled: AssembledAgent;
  readonly live: LiveSettings;
  readonly auxiliary: Auxiliary;
  /** What every prompt has besides and nobody stores. */
  ephemeral(): string;
}

function servicesOf(request: AgentRequest, deps: ServiceDeps): AgentServices {
  const { options, sessionId } = request;
  const { host, scope, chosen, assembled, live } = deps;
  const { machine, models, tools } = host;
  const { agent, side } = assembled;
  const { conversation } = agent;
  const { config, environment } = machine.loaded;
  const target = (): Target => conversation.target;
  return {
    models: modelService({
      agent,
      chosen,
      auxiliary: options.remote === undefined ? deps.auxiliary : undefined,
      config,
      context: () => models.contextNow(),
      settingsStamp: () => machine.settingsStamp(),
      choose: (signal) => modelOf(request, host, signal),
      resolve: (wanted, signal) => models.resolve(wanted, signal),
      logger: machine.logger,
      followsSettings: options.followsSettings === true,
      redactor: machine.redactor,
      choices: (signal) => models.choices(signal),
      save: (saved) => saveModel(saved, machine),
      whyFixed: options.remote === undefined ? undefined : "The model is chosen by the Hermes that does the work.",
    }),
    agents: { list: () => readNamedAgents(machine, scope.cwd) },
    skills: skillService({ ...host.skills, scope, sessionId }),
    tools: toolService({
      shown: assembled.tools,
      setEnabled: (names, isEnabled) => host.surfaceTools.set(options.source, names, isEnabled),
      mcpServers: () => tools.mcp.status(),
      reloadMcp: (signal) => tools.mcp.reload(scope, signal),
    }),
    checkpoints: checkpointService({
      snapshots: tools.snapshots,
      folder: () => sessionFolder(scope),
      onTakenBack: () => tools.takenBack(scope.key),
    }),
    memory: memoryService({
      memory: assembled.memory,
      scope,
      sessionId,
      flush: async (reason, signal) => void (await side.flush(reason, conversation.history, signal)),
      end: async (signal) => {
        const manager = assembled.memory?.manager;
        await manager?.sessionEnded(conversation.history, signal);
        await manager?.[Symbol.asyncDispose]();
      },
    }),
    account: accountService({
      clock: machine.clock,
      rateLimits: host.rateLimits,
      registry: models.context.registry,
      gate: models.budget,
      spender: scope.spender,
      target,
    }),
    ...ownServices(deps, options.remote !== undefined),
    behaviour: live,
    references: referenceService({
      folder: options.cwd,
      home: machine.userHome,
      env: environment.variables,
      wall: (signal) => tools.wall(scope, signal),
      windowTokens: () => target().limits.contextWindow,
      fetchText: readPageWith(tools.registry, scope),
    }),
    titles: titleService(
      deps.auxiliary,
      () =>
        target().provider !== demoProvider && options.remote === undefined && config.auxiliary.title_generation.enabled,
    ),
  };
}

/** What belongs to the session alone: its approvals, its context, its background processes. */
function ownServices(
  { host: { tools }, scope, assembled, ephemeral }: ServiceDeps,
  isRemote: boolean,
): Pick<AgentServices, "approvals" | "context" | "processes"> {
  const { key, userId } = scope;
  const { compression, deps, agent } = assembled;
  return {
    approvals: {
      get isYolo() {
        return tools.yolo.isOn(key);
      },
      setYolo: (isOn) => (tools.yolo.isOn(key) === isOn ? isOn : tools.yolo.toggle(key)),
      rules: () => tools.permissions.list(scope),
      addRule: (effect, text) =>
        effect === "allow" && userId !== undefined
          ? Promise.resolve("only the owner of this home can allow something")
          : tools.permissions.add(scope, effect, text),
      removeRule: (text) => tools.permissions.remove(scope, text),
      get isPlanning() {
        return tools.plan.isOn(key);
      },
      setPlanning: (isOn) => tools.plan.set(key, isOn),
    },
    context: {
      shares: async () =>
        contextShares({
          layers: await deps.prompt.source.layers(),
          ephemeral: ephemeral(),
          tools: assembled.tools.listing,
          history: agent.conversation.history,
        }),
      async compress(focus, signal) {
        if (isRemote) return undefined;
        const outcome = await compression.compressNow(focus, signal);
        return outcome.kind === "smaller" ? { before: outcome.tokensBefore, after: outcome.tokensAfter } : undefined;
      },
    },
    processes: {
      list: () =>
        tools.processes
          .list(key)
          .map(({ facts, state }) => ({ id: facts.id, command: facts.command, state: state.kind })),
      stopAll: () => tools.processes.killAll(key),
    },
  };
}
