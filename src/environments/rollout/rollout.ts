import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type Agent,
  type AgentHost,
  assembleAgent,
  Conversation,
  openSideCalls,
  type RequestSettings,
  type StartingModel,
  toolSideCalls,
  unrecorded,
} from "#agent";
import {
  type AgentEvent,
  EventBus,
  type Message,
  type SessionId,
  type ToolDefinition,
  type TurnResult,
} from "#conversation";
import { defined } from "#foundation/defined";
import { Scope } from "#foundation/lifecycle/disposal";
import { isAlive } from "#foundation/process/alive";
import type { Approver, CallSlots, Prompter, SessionScope, TerminalChoice } from "#tools";
import type { Rollouts } from "./open-rollouts.ts";

/** One attempt of an agent at one task. */
export interface RolloutOptions {
  /** Names its terminal, its processes and its browser; unique in this process. */
  readonly taskId: string;
  readonly model: StartingModel;
  /** Undefined: all there are. */
  readonly toolsets?: readonly string[] | undefined;
  readonly disabledToolsets?: readonly string[] | undefined;
  readonly maxSteps: number;
  /** No last words when the steps are spent. */
  readonly endsSilently?: boolean | undefined;
  readonly request: RequestSettings;
  readonly terminal?: TerminalChoice | undefined;
  /** The whole system prompt; undefined: the usual one without the person's files. */
  readonly systemPrompt?: string | undefined;
  /** Added to the usual prompt for the run, never saved. */
  readonly ephemeralPrompt?: string | undefined;
  readonly prefill?: readonly Message[] | undefined;
  /** Shared with other rollouts: so many of their calls run at once. */
  readonly callSlots?: CallSlots | undefined;
  /** In place of the host's, where something stands between the agent and its model. */
  readonly models?: AgentHost["models"] | undefined;
  readonly tools?: AgentHost["tools"] | undefined;
  onEvent?(event: AgentEvent): void;
}

/** Ready to run, and afterwards to be looked at; disposing it leaves nothing of it on this machine. */
export interface Rollout extends AsyncDisposable {
  readonly agent: Agent;
  readonly scope: SessionScope;
  readonly tools: readonly ToolDefinition[];
  run(prompt: string, signal: AbortSignal): Promise<TurnResult>;
}

/** Nobody watches a rollout: what would need an answer is denied. */
const denied: Approver = { ask: () => Promise.resolve("deny"), canAsk: () => false };
const nobody: Prompter = {
  question: () => Promise.resolve({ kind: "nobody" }),
  secret: () => Promise.resolve({ kind: "nobody" }),
};

/**
 * Opens a rollout in a sandbox of its own: a container where the terminal has one, else a folder that is both working
 * folder and home. It is the agent of every session, without store, memory, skills and files of the person.
 */
export async function openRollout(
  rollouts: Pick<Rollouts, "host">,
  options: RolloutOptions,
  signal: AbortSignal,
): Promise<Rollout> {
  const { models: ownModels = rollouts.host.models, tools: ownTools = rollouts.host.tools } = options;
  const host: AgentHost = { ...rollouts.host, models: ownModels, tools: ownTools };
  const owned = new Scope();
  try {
    const folder = await ownFolder(owned);
    const { machine, models } = host;
    const conversation = new Conversation({
      sessionId: options.taskId as SessionId,
      history: [],
      target: options.model.target,
    });
    const spender = { sessionId: options.taskId, userId: undefined, treeId: options.taskId };
    const auxiliary = openSideCalls(
      { models, logger: machine.logger, settings: () => machine.loaded.config.auxiliary },
      { spender, main: () => conversation.target, warn: (text) => machine.logger.warn(text) },
    );
    const scope: SessionScope = {
      key: options.taskId,
      userId: undefined,
      source: "rollout",
      cwd: folder,
      terminal: { home: folder, ...options.terminal },
      mcpServers: [],
      approver: denied,
      prompter: nobody,
      auxiliary: toolSideCalls(auxiliary, { models }, spender),
      spender,
      callSlots: options.callSlots,
      deliver: () => false,
    };
    const events = new EventBus(machine.logger);
    events.subscribe((event) => options.onEvent?.(event));
    const { config } = machine.loaded;
    const assembled = owned.adopt(
      await assembleAgent(host, scope, {
        conversation,
        chosen: options.model,
        auxiliary,
        events,
        transcript: unrecorded(conversation.sessionId),
        settings: {
          maxSteps: options.maxSteps,
          maxConcurrentChildren: config.delegation.max_concurrent_children,
          budgetHints: false,
          endsSilently: options.endsSilently,
          request: options.request,
        },
        startedAtMs: machine.clock.now(),
        tools: {
          ...defined({ enabledToolsets: options.toolsets, disabledToolsets: options.disabledToolsets }),
        },
        prompt: {
          usesFiles: false,
          whole: options.systemPrompt,
          prefill: options.prefill,
          ephemeral: () => options.ephemeralPrompt ?? "",
        },
        hasMemory: false,
        signal,
      }),
    );
    return {
      agent: assembled.agent,
      scope,
      tools: assembled.tools.listing.definitions,
      run: (prompt, stop) =>
        assembled.agent.runConversation({ userMessage: prompt, taskId: options.taskId, signal: stop }),
      [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
    };
  } catch (error) {
    await owned[Symbol.asyncDispose]();
    throw error;
  }
}

async function ownFolder(owned: Scope): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), `hermes-rollout-${process.pid}-`)));
  owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }));
  return folder;
}

/** Removes the folders of processes that were killed; those of running ones are left alone. */
export async function removeLeftFolders(): Promise<number> {
  const owner = (name: string): number => Number(/^hermes-rollout-(\d+)-/.exec(name)?.[1]);
  const names = (await readdir(tmpdir())).filter((name) => !isAlive(owner(name)));
  await Promise.all(names.map((name) => rm(path.join(tmpdir(), name), { recursive: true, force: true })));
  return names.length;
}
