import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";

/** One subcommand a provider adds: `hermes <provider> <name>`. */
export interface ProviderSubcommand {
  readonly name: string;
  readonly description: string;
  /** Gives the exit code. */
  run(args: readonly string[], signal: AbortSignal): number | Promise<number>;
}

/** What a provider's `cli` module is given. */
export interface ProviderCommand {
  subcommand(subcommand: ProviderSubcommand): void;
}

/** The one export of a `cli` module (`registerCli`, or `register_cli`). It must not import the provider itself. */
export type RegisterCli = (command: ProviderCommand) => void;

export interface ProviderCommands {
  readonly provider: string;
  readonly subcommands: ReadonlyMap<string, ProviderSubcommand>;
}

export interface CliSources {
  /** `memory.provider`; empty is none. */
  readonly active: string;
  /** Loads the `cli` module of a provider alone; undefined when it has none. */
  loadCli(provider: string): Promise<unknown>;
  readonly logger: Logger;
}

/** The commands of the active provider. Those of any other are never loaded, so they exist nowhere, not even in help. */
export async function activeProviderCommands(sources: CliSources): Promise<ProviderCommands | undefined> {
  const { active, logger } = sources;
  if (active === "") return undefined;
  const subcommands = new Map<string, ProviderSubcommand>();
  try {
    const register = registerOf(await sources.loadCli(active));
    if (register === undefined) return undefined;
    register({
      subcommand: (one) => {
        if (!subcommands.has(one.name)) subcommands.set(one.name, one);
      },
    });
  } catch (error) {
    logger.warn("the commands of a memory provider could not be loaded", { provider: active, reason: describe(error) });
    return undefined;
  }
  return subcommands.size === 0 ? undefined : { provider: active, subcommands };
}

function registerOf(module: unknown): RegisterCli | undefined {
  if (typeof module !== "object" || module === null) return undefined;
  for (const name of ["registerCli", "register_cli"]) {
    const found: unknown = Reflect.get(module, name);
    if (typeof found === "function") return (command) => void Reflect.apply(found, undefined, [command]);
  }
  return undefined;
}
