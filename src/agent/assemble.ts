import type { Message, TurnResult } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import type { Auxiliary } from "#model";
import { Abilities, type AskUser, askingUser, type Listing, type SessionScope } from "#tools";
import { Agent } from "./agent.ts";
import type { AgentDeps, AgentPrompt, AgentSettings, AgentTools } from "./agent-deps.ts";
import { assembleModel, assembleRecord, type ModelChoices } from "./assemble-model.ts";
import { type Compression, createContextKeeper } from "./compression/compression.ts";
import { openCompression } from "./compression/open.ts";
import { recalling } from "./compression/recall-tool.ts";
import { agentsBlock, readNamedAgents } from "./delegation/agent-files.ts";
import { delegating } from "./delegation/delegate-tool.ts";
import { delegateWith } from "./delegation/open.ts";
import type { AgentHost, ToolOptions } from "./host.ts";
import { memoryTool, noteTaking } from "./memory/memory-tool.ts";
import { openMemory, type SessionMemory } from "./memory/open.ts";
import { openSideWork, type SideWork } from "./memory/side-work.ts";
import type { PromptSource, Transcript, TurnHooks } from "./ports.ts";
import { gatherPrompt } from "./prompt/gather.ts";
import { NestedHints } from "./prompt/nested-hints.ts";
import { logBreaks } from "./prompt/prefix-watch.ts";
import { startDirectory } from "./prompt/project-root.ts";
import { createPromptSource } from "./prompt/prompt-source.ts";
import { ToolListing } from "./tool-listing.ts";
import type { TrajectoryTarget } from "./trajectory/save.ts";
import type { Turn } from "./turn/turn.ts";

/** What one agent is to be. */
export interface AgentChoices extends ModelChoices {
  /** Small calls beside the conversation. */
  readonly auxiliary: Auxiliary;
  readonly transcript: Transcript;
  readonly settings: AgentSettings;
  readonly startedAtMs: number;
  /** Which tools it may have, by the model it works with now where that matters; a child is handed its listing. */
  readonly tools: ToolOptions | (() => ToolOptions) | { readonly listing: Listing };
  readonly prompt: PromptChoices;
  /** Who answers the model's own questions; undefined where nobody can. */
  readonly askUser?: AskUser | undefined;
  /** Notes, a memory provider, and reviews after turns. */
  readonly hasMemory: boolean;
  /** A child has the tools and the model of its parent; nobody goes on with its conversation. */
  readonly isChild?: boolean | undefined;
  /** Ends the opening. */
  readonly signal?: AbortSignal | undefined;
  /** Where finished turns are written down for training; nowhere when absent. */
  readonly trajectories?: TrajectoryTarget | undefined;
}

export interface PromptChoices {
  /** Where the frozen prompt is kept; built anew when absent. */
  readonly storage?: Pick<Parameters<typeof createPromptSource>[0], "load" | "save"> | undefined;
  /** SOUL.md and the project's own instructions. */
  readonly usesFiles: boolean;
  readonly systemMessage?: string | undefined;
  /** The whole prompt, word for word, instead of one gathered from what the person has. */
  readonly whole?: string | undefined;
  /** The model is told the id of its session. */
  readonly showsSessionId?: boolean | undefined;
  readonly prefill?: readonly Message[] | undefined;
  /** Text that is never stored: the user's own, personality, skills loaded for the session. */
  ephemeral(): string;
}

/** An agent, ready, with what else was opened for it. Disposing it leaves nothing of it. */
export interface AssembledAgent extends AsyncDisposable {
  readonly agent: Agent;
  readonly deps: AgentDeps;
  readonly tools: ToolListing;
  readonly memory: SessionMemory | undefined;
  readonly compression: Compression;
  readonly side: SideWork;
}

/** The one way to build an agent: of a session, a child of one, or a rollout without store and session. */
export async function assembleAgent(
  host: AgentHost,
  scope: SessionScope,
  choices: AgentChoices,
): Promise<AssembledAgent> {
  const owned = new Scope();
  try {
    return await assemble({ host, scope, choices, owned }, choices.signal ?? never);
  } catch (error) {
    await owned[Symbol.asyncDispose]();
    throw error;
  }
}

export interface Assembly {
  readonly host: AgentHost;
  readonly scope: SessionScope;
  readonly choices: AgentChoices;
  readonly owned: Scope;
}

async function assemble(assembly: Assembly, signal: AbortSignal): Promise<AssembledAgent> {
  const { host, choices, owned } = assembly;
  const { auxiliary, events } = choices;
  const tools = await openTools(assembly, signal);
  const memory = await memoryOf(assembly, tools, signal);
  const source = promptOf(assembly, { tools, memory }, signal);
  let abilities = abilitiesOf(assembly, memory);
  const deps = depsOf(assembly, { tools, memory, source, abilities: () => abilities });
  const side = owned.adopt(openSideWork(deps, { host, chosen: choices.chosen, memory, auxiliary }));
  const compression = openCompression(deps, {
    host,
    auxiliary,
    memory,
    isChild: choices.isChild === true,
    flush: (history, stop) => side.flush("compression", history, stop),
  });
  if (choices.isChild !== true) {
    tools.extend(compression.engineTools(tools.listing.names));
    await compression.start(signal);
    owned.adopt(events.observe("compression", compression));
    owned.defer(() => compression.end(never));
  }
  abilities = abilities.with(delegating, delegateWith(assembly, { deps, memory, assemble: assembleAgent }));
  const finished: AgentDeps = {
    ...deps,
    memory: { ...deps.memory, keeper: createContextKeeper(compression) },
    observers: { ...deps.observers, afterTurn: afterTurn(assembly, { tools, side }) },
  };
  return {
    agent: new Agent(finished),
    deps: finished,
    tools,
    memory,
    compression,
    side,
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

/** What the agent can do for its own tools, but for starting others. */
function abilitiesOf({ host, choices }: Assembly, memory: SessionMemory | undefined): Abilities {
  const timeoutMs = host.machine.loaded.config.clarify.timeout * 1000;
  const { askUser: ask, conversation } = choices;
  return new Abilities()
    .with(askingUser, ask === undefined ? undefined : { ask, timeoutMs })
    .with(recalling, host.records.readMessages(conversation))
    .with(noteTaking, memory?.noteTaking);
}

/** What the agent works with from now on. The session of tools ends with the agent that opened it. */
async function openTools({ host, scope, choices, owned }: Assembly, signal: AbortSignal): Promise<ToolListing> {
  const { tools: wanted, conversation } = choices;
  const { tools } = host;
  if ("listing" in wanted) return ToolListing.fixed(wanted.listing);
  const options = typeof wanted === "function" ? wanted : () => wanted;
  let enabledTools: ReadonlySet<string> = new Set();
  const session = { scope, sessionId: () => conversation.sessionId, enabledTools: () => enabledTools };
  owned.adopt(tools.openSession(session));
  return await ToolListing.open(
    {
      list: async (stop) => {
        const listing = await tools.list(options(), scope, stop);
        enabledTools = listing.names;
        return listing;
      },
      version: () => `${tools.mcp.changes()} ${options().enabledToolsets?.join()}`,
      hasNews: () => tools.mcp.hasNews(scope),
      letIn: (stop) => tools.mcp.letIn(scope, stop),
    },
    signal,
  );
}

async function memoryOf(
  { host, scope, choices, owned }: Assembly,
  tools: ToolListing,
  signal: AbortSignal,
): Promise<SessionMemory | undefined> {
  if (!choices.hasMemory) return undefined;
  const memory = await openMemory(
    host.machine,
    {
      scope,
      sessionId: choices.conversation.sessionId,
      pluginProviders: host.plugins.memoryProviders(),
      takenToolNames: tools.listing.names,
      taintedBy: () => choices.conversation.untrusted,
      warn: (text) => choices.events.emit({ type: "notice", level: "warn", text }),
    },
    signal,
  );
  owned.adopt(memory);
  // Whoever has no use for the notes has none for what stands beside them.
  if (tools.listing.names.has(memoryTool.name)) tools.extend(memory.manager.tools);
  return memory;
}

/** The frozen prompt, made from what this person has. */
function promptOf(
  { host, scope, choices }: Assembly,
  { tools, memory }: { readonly tools: ToolListing; readonly memory: SessionMemory | undefined },
  signal: AbortSignal,
): PromptSource {
  const { prompt, conversation, startedAtMs, isChild, events } = choices;
  if (prompt.whole !== undefined) return wholePrompt(prompt.whole);
  const told = new Set<string>();
  // The prompt is gathered again after a compression.
  const warn = (text: string): void => {
    if (isChild !== true && !told.has(text)) events.emit({ type: "notice", level: "warn", text });
    told.add(text);
  };
  return createPromptSource({
    hasHistory: conversation.history.length > 0,
    load: async () => prompt.storage?.load(),
    save: async (text, record) => prompt.storage?.save(text, record),
    gather: async () =>
      gatherPrompt(
        host.machine,
        {
          cwd: scope.cwd,
          surface: scope.source,
          listing: tools.listing,
          model: conversation.primary.model,
          provider: conversation.primary.provider,
          startedAtMs,
          skipsFiles: !prompt.usesFiles,
          memory: await memory?.snapshot(),
          providerBlock: memory?.manager.promptBlock,
          skills: isChild === true ? undefined : host.skills,
          agents: async () => agentsBlock((await readNamedAgents(host.machine, scope.cwd)).agents),
          managedServices: (during) => host.tools.managedServices(during),
          systemMessage: prompt.systemMessage,
          rootSessionId: prompt.showsSessionId === true ? conversation.rootSessionId : undefined,
          warn,
        },
        signal,
      ),
  });
}

function wholePrompt(text: string): PromptSource {
  return {
    text: () => Promise.resolve(text),
    layers: () => Promise.resolve([{ name: "system prompt", text }]),
    refresh: () => Promise.resolve({ text, changedLayers: [] }),
    rebuild: () => Promise.resolve(),
  };
}

interface Opened {
  readonly tools: ToolListing;
  readonly memory: SessionMemory | undefined;
  readonly source: PromptSource;
  abilities(): Abilities;
}

function depsOf({ host, scope, choices }: Assembly, opened: Opened): AgentDeps {
  const { clock, logger } = host.machine;
  const { conversation, settings, events, prompt } = choices;
  return {
    conversation,
    scope,
    settings,
    clock,
    logger,
    model: assembleModel(host, scope, choices),
    tools: toolsOf({ host, scope, choices }, opened),
    record: assembleRecord(host, choices.transcript),
    prompt: promptGroup(opened.source, prompt),
    memory: { turns: turnMemoryOf(opened.memory) },
    observers: {
      events,
      hooks: hooksOf({ host, scope, choices }),
      onRequest: logBreaks(logger),
      activityClock: clock,
    },
  };
}

/** Without a provider no turn has anything to ask or tell. */
function turnMemoryOf(memory: SessionMemory | undefined): AgentDeps["memory"]["turns"] {
  return memory?.manager.providerName === undefined ? undefined : memory.manager.turnMemory;
}

/** Plugins hear of a turn when its changes of files are known. */
function hooksOf({ host, scope, choices }: Omit<Assembly, "owned">): TurnHooks {
  const hooks = host.plugins.turnHooks(scope);
  if (choices.isChild === true) return hooks;
  return {
    ...hooks,
    async onTurnEnd(facts) {
      await host.tools.settleFiles(scope.key);
      await hooks.onTurnEnd?.(facts);
    },
  };
}

function promptGroup(source: PromptSource, { prefill, ephemeral }: PromptChoices): AgentPrompt {
  return { source, prefill, ephemeral: () => ephemeral() };
}

function toolsOf({ host, scope, choices }: Omit<Assembly, "owned">, { tools, abilities }: Opened): AgentTools {
  const { tools: toolbox, machine } = host;
  const { config, environment } = machine.loaded;
  const hints = new NestedHints({
    startDirectory: startDirectory(environment.variables, scope.cwd),
    log: machine.logger,
    isTrusted: (folder) => machine.loaded.trust.isTrusted(folder),
    seen: NestedHints.seenIn(choices.conversation.history),
  });
  return {
    listing: () => tools.listing,
    files: toolbox.files({ taskId: scope.key, scope }),
    limits: {
      perResult: config.tool_output.max_result_chars,
      perReply: config.tool_output.max_reply_chars,
      preview: config.tool_output.preview_chars,
    },
    pauseMs: config.agent.tool_delay * 1_000,
    redact: (text) => toolbox.redact(text),
    abilities,
    observers: ({ taskId, sessionId, signal, userUid }) => [
      ...toolbox.observers({
        scope,
        taskId,
        sessionId,
        signal,
        turn: choices.isChild === true ? undefined : userUid,
      }),
      {
        onEnd: ({ untrusted }) => {
          if (untrusted !== undefined) choices.conversation.noteUntrusted(untrusted);
        },
      },
    ],
    hintsFor: (tool, args) => hints.hintsFor(tools.listing.tools.get(tool), args, never),
  };
}

/** What follows every turn without anybody waiting for it; closing waits for what is written. */
function afterTurn(
  { host, scope, choices, owned }: Assembly,
  { tools, side }: { readonly tools: ToolListing; readonly side: SideWork },
): (result: TurnResult, turn: Turn) => void {
  const { clock, logger } = host.machine;
  const { trajectories: to, settings } = choices;
  const facts = { maxSteps: settings.maxSteps, clock, logger, listing: () => tools.listing };
  const save =
    to === undefined
      ? undefined
      : import("./trajectory/save.ts").then(({ trajectorySaver }) => trajectorySaver({ ...facts, to }));
  let writing = Promise.resolve();
  owned.defer(() => writing);
  return (result, turn) => {
    side.turnEnded(result, turn);
    writing = writing.then(async () => {
      await host.tools.endTurn(scope.key);
      await (await save)?.(result);
    });
  };
}
