import type { Config } from "#config";
import type { SessionScope } from "../contract/session-scope.ts";
import type { AvailabilityProbes } from "../registry/availability.ts";
import { extendListing, type Listing, type ListingOptions, listTools } from "../registry/listing.ts";
import { onDemand } from "../registry/on-demand.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import { Toolsets } from "../registry/toolsets.ts";
import type { Mcp } from "./open-mcp.ts";

export interface ListingDeps {
  readonly config: Config;
  readonly scope: SessionScope;
  readonly registry: ToolRegistry;
  readonly probes: AvailabilityProbes;
  readonly mcp: Mcp;
}

/** The tools of a session. MCP servers are started, and waited for, only when their tools are among the wanted. */
export async function listOf(
  { config, registry, probes, mcp, scope }: ListingDeps,
  options: ListingOptions,
  signal: AbortSignal,
): Promise<Listing> {
  if (wantsMcp(options, mcp.names(), config.custom_toolsets)) await mcp.api.ready(scope, signal);
  const snapshot = registry.snapshot();
  const toolsets = new Toolsets(snapshot, config.custom_toolsets);
  const own = (await mcp.ownTools(scope, signal)).filter(({ name }) => options.disabledTools?.includes(name) !== true);
  const listing = await listTools({ scope, snapshot, toolsets, probes }, options, signal);
  return limited(onDemand(extendListing(listing, own), config.tool_search), config.tool_output.results);
}

/** Whether any server's tools could be in a listing. */
export function wantsMcp(
  options: ListingOptions,
  servers: readonly string[],
  custom: Config["custom_toolsets"],
): boolean {
  const enabled = options.enabledToolsets === undefined ? undefined : unfolded(options.enabledToolsets, custom);
  const disabled = unfolded(options.disabledToolsets ?? [], custom);
  const isNamed = (names: ReadonlySet<string>, server: string): boolean =>
    names.has("all") ||
    names.has("*") ||
    names.has(server) ||
    [...names].some((name) => name.startsWith("mcp-") || name.startsWith("mcp_"));
  return servers.some(
    (server) =>
      (enabled === undefined || isNamed(enabled, server)) && !disabled.has(server) && !disabled.has(`mcp-${server}`),
  );
}

/** Names with everything that own toolsets stand for; one that contains itself is cut. */
function unfolded(names: readonly string[], custom: Config["custom_toolsets"]): ReadonlySet<string> {
  const all = new Set<string>();
  const add = (name: string): void => {
    if (all.has(name)) return;
    all.add(name);
    for (const inner of Object.hasOwn(custom, name) ? (custom[name] ?? []) : []) add(inner);
  };
  for (const name of names) add(name);
  return all;
}

/** `tool_output.results`: limits of the user's own. A tool whose results must stay whole keeps them whole. */
function limited(listing: Listing, limits: Config["tool_output"]["results"]): Listing {
  if (Object.keys(limits).length === 0) return listing;
  const tools = [...listing.tools].map(([name, tool]) => {
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    const isPinned = tool.maxResultChars === Number.POSITIVE_INFINITY;
    return [name, limit === undefined || isPinned ? tool : { ...tool, maxResultChars: limit }] as const;
  });
  return { ...listing, tools: new Map(tools) };
}
