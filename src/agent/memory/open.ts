import type { Machine } from "#config";
import type { SessionId } from "#conversation";
import { defined } from "#foundation/defined";
import { memoryFolder } from "#foundation/files/memory-folder";
import type { SessionChat, SessionScope } from "#tools";
import { bundledProviders } from "./bundled-providers.ts";
import { MemoryManager } from "./manager.ts";
import type { NoteTaking } from "./memory-tool.ts";
import { MemoryWrites } from "./memory-writes.ts";
import { Notes } from "./notes.ts";
import { Quarantine } from "./quarantine.ts";
import { type MemorySnapshot, takeSnapshot } from "./snapshot.ts";

export interface MemoryOptions {
  /** Whose memory it is. */
  readonly scope: SessionScope;
  readonly sessionId: SessionId;
  /** Instances that plugins registered. */
  readonly pluginProviders: readonly unknown[];
  /** Something the person should know. */
  warn(text: string): void;
  /** Names a provider's tools may not have. */
  readonly takenToolNames: ReadonlySet<string>;
  /** What this turn has read from strangers, if anything. */
  taintedBy(): string | undefined;
}

/** The notes of a home and the external memory of one session. */
export interface SessionMemory extends AsyncDisposable {
  readonly manager: MemoryManager;
  readonly writes: MemoryWrites;
  readonly quarantine: Quarantine;
  readonly notes: Notes;
  /** For the `memory` tool. */
  readonly noteTaking: NoteTaking;
  snapshot(): Promise<MemorySnapshot>;
}

export async function openMemory(
  machine: Machine,
  options: MemoryOptions,
  signal: AbortSignal,
): Promise<SessionMemory> {
  const { loaded, home, clock, logger } = machine;
  const { memory } = loaded.config;
  const folder = memoryFolder(home, options.scope.userId);
  const notes = new Notes({
    folder,
    clock,
    settings: {
      memory: { isEnabled: memory.memory_enabled, limit: memory.memory_char_limit },
      user: { isEnabled: memory.user_profile_enabled, limit: memory.user_char_limit },
    },
  });
  const quarantine = new Quarantine({ folder, clock });
  const manager: MemoryManager = new MemoryManager({
    clock,
    logger,
    hold: async (call, stop) => {
      const taint = options.taintedBy();
      if (taint === undefined) return undefined;
      return { source: taint, parked: await writes.hold({ ...call, source: taint }, stop) };
    },
  });
  const writes: MemoryWrites = new MemoryWrites({
    notes,
    quarantine,
    logger,
    mirror: (write) => manager.memoryWritten(write),
    callProvider: (call, stop) => manager.carryOut(call, stop),
  });
  await activate(manager, { machine, options }, signal);
  return {
    manager,
    writes,
    quarantine,
    notes,
    noteTaking: {
      notes,
      writes,
      isTainted: () => options.taintedBy(),
      origin: { writeOrigin: "assistant_tool", executionContext: "primary", parentSessionId: "" },
    },
    snapshot: () => takeSnapshot(notes, logger),
    [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
  };
}

/** Starts the provider of the settings, if there is one. */
async function activate(
  manager: MemoryManager,
  { machine, options }: { readonly machine: Machine; readonly options: MemoryOptions },
  signal: AbortSignal,
): Promise<void> {
  const { home } = machine;
  const { sessionId, takenToolNames } = options;
  const { source, cwd, userId, chat } = options.scope;
  const provider = await chosenProvider(machine, options);
  const isRegistered = provider !== undefined && manager.register(provider);
  const context = {
    hermesHome: home.root,
    platform: source,
    agentContext: source === "cron" ? "cron" : "primary",
    agentIdentity: home.profileName,
    agentWorkspace: cwd,
    ...defined({ userId }),
    ...(chat === undefined ? {} : chatContext(chat)),
  } as const;
  await manager.activate({ sessionId, takenToolNames, context }, signal);
  const { provider: name } = machine.loaded.config.memory;
  if (isRegistered && manager.providerName === undefined)
    options.warn(
      `The memory provider ${name} is not ready, so nothing is remembered with it. See: hermes memory status`,
    );
}

function chatContext({ key, id, type, name, threadId, userName }: SessionChat) {
  return {
    gatewaySessionKey: key,
    chatId: id,
    chatType: type,
    ...defined({ chatName: name, threadId, userName }),
  };
}

/** The provider the user chose: one that comes with the program, else one of a plugin. */
async function chosenProvider({ loaded, home }: Machine, { pluginProviders, warn }: MemoryOptions): Promise<unknown> {
  const name = loaded.config.memory.provider;
  if (name === "") return undefined;
  const bundled = bundledProviders.find((one) => one.name === name);
  if (bundled !== undefined) return bundled.load({ variables: loaded.environment.variables, hermesHome: home.root });
  const found = pluginProviders.find(
    (one) => typeof one === "object" && one !== null && Reflect.get(one, "name") === name,
  );
  if (found === undefined)
    warn(`The memory provider ${name} is not installed, so nothing is remembered with it. See: hermes memory status`);
  return found;
}
