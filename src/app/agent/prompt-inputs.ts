import { loadContextFiles, loadSoul, type MemorySnapshot, type PromptInputs, startDirectory } from "#agent";
import type { LoadedConfig } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import { isTermux, isWsl, thisMachine } from "#foundation/process/platform";
import type { Listing } from "#tools";
import type { Skills } from "./open-skills.ts";

export interface PromptFacts {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly logger: Logger;
  readonly cwd: string;
  readonly surface: string;
  readonly listing: Listing;
  readonly model: string;
  readonly provider: string;
  readonly startedAtMs: number;
  /** Shown to the model when it is asked for. */
  readonly rootSessionId?: string;
  /** Neither SOUL.md nor the project's own instructions. */
  readonly skipsFiles: boolean;
  readonly systemMessage?: string;
  readonly memory: MemorySnapshot | undefined;
  readonly providerBlock: string | undefined;
  readonly skills: Skills | undefined;
  /** Tells the user what could not be used. */
  readonly warn: (text: string) => void;
}

/** Reads everything the system prompt of a session is made from. */
export async function gatherPrompt(facts: PromptFacts, signal: AbortSignal): Promise<PromptInputs> {
  const { loaded, home, logger, listing, skipsFiles, surface } = facts;
  const { config, environment } = loaded;
  const machine = thisMachine(environment.variables);
  const [soul, context, skillsIndex] = await Promise.all([
    skipsFiles ? undefined : loadSoul(home.soul, { log: logger, warn: facts.warn }),
    skipsFiles
      ? undefined
      : loadContextFiles({ startDirectory: startDirectory(environment.variables, facts.cwd), log: logger }, signal),
    facts.skills?.library.indexBlock({ tools: listing.names, toolsets: toolsetsOf(listing) }, surface, signal),
  ]);
  return {
    toolNames: [...listing.names],
    model: facts.model,
    provider: facts.provider,
    toolUseEnforcement: config.agent.tool_use_enforcement,
    skipContextFiles: skipsFiles,
    session: {
      startedAtMs: facts.startedAtMs,
      timeZone: config.timezone,
      ...(facts.rootSessionId === undefined ? {} : { rootSessionId: facts.rootSessionId }),
    },
    environment: { isWsl: isWsl(machine), isTermux: isTermux(machine) },
    platform: surface,
    ...(soul === undefined ? {} : { soul }),
    ...(context === undefined ? {} : { contextFiles: context.text }),
    ...(skillsIndex === undefined ? {} : { skillsIndex }),
    ...(facts.systemMessage === undefined ? {} : { systemMessage: facts.systemMessage }),
    ...blocksOf(facts),
  };
}

function blocksOf({ memory, providerBlock }: PromptFacts): Partial<PromptInputs> {
  return {
    ...(memory?.blocks.memory === undefined ? {} : { memoryBlock: memory.blocks.memory }),
    ...(memory?.blocks.user === undefined ? {} : { profileBlock: memory.blocks.user }),
    ...(providerBlock === undefined ? {} : { providerBlock }),
  };
}

function toolsetsOf(listing: Listing): ReadonlySet<string> {
  return new Set([...listing.tools.values()].map((tool) => tool.toolset));
}
