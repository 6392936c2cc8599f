import type { Machine } from "#config";
import { defined } from "#foundation/defined";
import { isTermux, isWsl, thisMachine } from "#foundation/process/platform";
import type { Listing } from "#tools";
import { loadContextFiles } from "./context-files.ts";
import type { ManagedCapability, PromptInputs } from "./inputs.ts";
import { startDirectory } from "./project-root.ts";
import { loadSoul } from "./soul.ts";

/** The skills a model is told of. */
export interface SkillIndex {
  indexBlock(
    shown: { readonly tools: ReadonlySet<string>; readonly toolsets: ReadonlySet<string> },
    surface: string,
    signal: AbortSignal,
  ): Promise<string | undefined>;
}

export interface PromptFacts {
  /** The folder of the session. */
  readonly cwd: string;
  readonly surface: string;
  readonly listing: Listing;
  readonly model: string;
  readonly provider: string;
  readonly startedAtMs: number;
  /** Shown to the model when it is asked for. */
  readonly rootSessionId: string | undefined;
  /** Neither SOUL.md nor the project's own instructions. */
  readonly skipsFiles: boolean;
  readonly systemMessage: string | undefined;
  /** What the notes say. */
  readonly memory: { readonly blocks: { readonly memory?: string; readonly user?: string } } | undefined;
  readonly providerBlock: string | undefined;
  readonly skills: SkillIndex | undefined;
  /** What is said of the agents that children can be started as. */
  agents?(): Promise<string>;
  /** What a subscription pays for. */
  managedServices(signal: AbortSignal): Promise<readonly ManagedCapability[]>;
  /** Tells the user what could not be used. */
  readonly warn: (text: string) => void;
}

/** Reads everything the system prompt of a session is made from. */
export async function gatherPrompt(
  { loaded, home, logger }: Pick<Machine, "loaded" | "home" | "logger">,
  facts: PromptFacts,
  signal: AbortSignal,
): Promise<PromptInputs> {
  const { listing, skipsFiles, surface } = facts;
  const { config, environment } = loaded;
  const machine = thisMachine(environment.variables);
  const folder = startDirectory(environment.variables, facts.cwd);
  const files = { startDirectory: folder, log: logger, isTrusted: loaded.trust.isTrusted(folder) };
  const tools = [...listing.tools.values()];
  // Without a tool for them the index would promise what cannot be done.
  const skills = tools.some(({ serves }) => serves === "skills") ? facts.skills : undefined;
  const agents = tools.some(({ isDelegation }) => isDelegation === true) ? facts.agents : undefined;
  const [soul, context, skillsIndex, agentsBlock, managedCapabilities] = await Promise.all([
    skipsFiles ? undefined : loadSoul(home.soul, { log: logger, warn: facts.warn }),
    skipsFiles ? undefined : loadContextFiles(files, signal),
    skills?.indexBlock({ tools: listing.names, toolsets: toolsetsOf(listing) }, surface, signal),
    agents?.(),
    facts.managedServices(signal),
  ]);
  return {
    toolNames: [...listing.names],
    toolGuidance: tools.flatMap(({ guidance }) => guidance ?? []),
    model: facts.model,
    provider: facts.provider,
    toolUseEnforcement: config.agent.tool_use_enforcement,
    managedCapabilities,
    skipContextFiles: skipsFiles,
    session: {
      startedAtMs: facts.startedAtMs,
      timeZone: config.timezone,
      ...defined({ rootSessionId: facts.rootSessionId }),
    },
    environment: { isWsl: isWsl(machine), isTermux: isTermux(machine) },
    platform: surface,
    ...defined({ soul }),
    ...(context === undefined ? {} : { contextFiles: context.text }),
    ...defined({ skillsIndex, agents: agentsBlock, systemMessage: facts.systemMessage }),
    ...blocksOf(facts),
  };
}

function blocksOf({ memory, providerBlock }: PromptFacts): Partial<PromptInputs> {
  return {
    ...defined({ memoryBlock: memory?.blocks.memory, profileBlock: memory?.blocks.user }),
    ...defined({ providerBlock }),
  };
}

function toolsetsOf(listing: Listing): ReadonlySet<string> {
  return new Set([...listing.tools.values()].map((tool) => tool.toolset));
}
