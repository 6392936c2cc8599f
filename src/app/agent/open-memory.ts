import { createHash } from "node:crypto";
import path from "node:path";
import {
  bundledProviders,
  createMemoryExecute,
  MemoryManager,
  type MemorySnapshot,
  MemoryWrites,
  Notes,
  Quarantine,
  takeSnapshot,
} from "#agent";
import type { LoadedConfig } from "#config";
import type { SessionId } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import type { Tool } from "#tools";

export interface MemoryOptions {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sessionId: SessionId;
  readonly surface: string;
  /** Undefined: the owner of the home. */
  readonly userId: string | undefined;
  readonly cwd: string;
  /** Instances that plugins registered. */
  readonly pluginProviders: readonly unknown[];
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
  readonly execute: Tool["execute"];
  snapshot(): Promise<MemorySnapshot>;
}

export async function openMemory(options: MemoryOptions, signal: AbortSignal): Promise<SessionMemory> {
  const { loaded, home, clock, logger } = options;
  const { memory } = loaded.config;
  const folder = memoryFolder(home, options.userId);
  const notes = new Notes({
    folder,
    clock,
    settings: {
      memory: { isEnabled: memory.memory_enabled, limit: memory.memory_char_limit },
      user: { isEnabled: memory.user_profile_enabled, limit: memory.user_char_limit },
    },
  });
  const quarantine = new Quarantine({ folder, clock });
  const manager = new MemoryManager({
    clock,
    logger,
    hold: async (call, stop) => {
      const source = options.taintedBy();
      return source === undefined ? undefined : { source, parked: await writes.hold({ ...call, source }, stop) };
    },
  });
  const writes = new MemoryWrites({
    notes,
    quarantine,
    logger,
    mirror: (write) => manager.memoryWritten(write),
    callProvider: (call, stop) => manager.carryOut(call, stop),
  });
  const provider = await chosenProvider(options);
  if (provider !== undefined) manager.register(provider);
  await manager.activate(
    {
      sessionId: options.sessionId,
      takenToolNames: options.takenToolNames,
      context: {
        hermesHome: home.root,
        platform: options.surface,
        agentContext: options.surface === "cron" ? "cron" : "primary",
        agentIdentity: home.profileName,
        agentWorkspace: options.cwd,
        ...(options.userId === undefined ? {} : { userId: options.userId }),
      },
    },
    signal,
  );
  const execute = createMemoryExecute({
    notes,
    writes,
    isTainted: () => options.taintedBy(),
    origin: { writeOrigin: "assistant_tool", executionContext: "primary", parentSessionId: "" },
  });
  return {
    manager,
    writes,
    quarantine,
    execute,
    snapshot: () => takeSnapshot(notes, logger),
    [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
  };
}

/** What is remembered of a person is theirs alone; the owner's notes are those of the home. */
function memoryFolder(home: HermesHome, userId: string | undefined): string {
  if (userId === undefined) return home.memories;
  return path.join(home.memories, "users", createHash("sha256").update(userId).digest("hex").slice(0, 32));
}

/** The provider the user chose: one that comes with the program, else one of a plugin. */
async function chosenProvider({ loaded, pluginProviders, logger }: MemoryOptions): Promise<unknown> {
  const name = loaded.config.memory.provider;
  if (name === "") return undefined;
  const bundled = bundledProviders.find((one) => one.name === name);
  if (bundled !== undefined) return bundled.load();
  const found = pluginProviders.find(
    (one) => typeof one === "object" && one !== null && Reflect.get(one, "name") === name,
  );
  if (found === undefined) logger.warn("memory provider is not installed", { provider: name });
  return found;
}
