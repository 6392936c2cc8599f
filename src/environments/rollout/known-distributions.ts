import type { Machine } from "#config";
import { findDistribution, type Toolbox, Toolsets } from "#tools";

type Chances = Readonly<Record<string, number>>;

/** Finds distributions by name. What they name that is no toolset here cannot be drawn, and is said once. */
export function knownDistributions(
  { loaded: { config }, notice }: Pick<Machine, "loaded" | "notice">,
  registry: Pick<Toolbox["registry"], "snapshot">,
): (name: string) => Chances {
  const told = new Set<string>();
  const servers = new Set(Object.keys(config.mcp_servers).flatMap((server) => [server, `mcp-${server}`]));
  return (name) => {
    const toolsets = new Toolsets(registry.snapshot(), config.custom_toolsets);
    const isKnown = (toolset: string): boolean => toolsets.isKnown(toolset) || servers.has(toolset);
    const chances = findDistribution(name, config.toolset_distributions);
    for (const toolset of Object.keys(chances).filter((one) => !isKnown(one) && !told.has(one))) {
      told.add(toolset);
      notice(`There is no toolset ${toolset}; the distribution ${name} is drawn without it.`);
    }
    return Object.fromEntries(Object.entries(chances).filter(([toolset]) => isKnown(toolset)));
  };
}
