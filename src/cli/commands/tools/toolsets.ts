import { type Config, isPlatformId, platformIds } from "#config";
import { silentLogger } from "#foundation/files/logger";
import { nearest } from "#foundation/text/text";
import {
  absentTools,
  configurableToolsets,
  listedToolsets,
  restrictedToolsets,
  surfaceToolsets,
  ToolRegistry,
  Toolsets,
} from "#tools";
import type { Invocation } from "../../command.ts";
import { flagText } from "../../invocation.ts";
import { loadSettings, type Settings } from "../../support/settings.ts";
import { usageError } from "../../usage-error.ts";

export interface SurfaceTools extends Settings {
  readonly surface: string;
  readonly toolsets: Toolsets;
  /** Those that are on, in order. */
  readonly on: readonly string[];
  /** All that can be switched on this surface. */
  readonly all: readonly string[];
  /** Those of them that hold no tool in this program, on or not: they stay in a saved list and do nothing. */
  readonly empty: readonly string[];
}

/** Surfaces that are no chat platforms. */
const ownSurfaces = ["cli", "cron", "acp", "api", "dashboard", "library"];

/** The toolsets of one surface as the settings say, without opening any tool. */
export async function surfaceTools(invocation: Invocation, surface = surfaceOf(invocation)): Promise<SurfaceTools> {
  const settings = await loadSettings(invocation);
  const { config } = settings.loaded;
  checkSurface(surface, config);
  const toolsets = new Toolsets(new ToolRegistry(silentLogger).snapshot(), config.custom_toolsets);
  const mcpServers = Object.entries(config.mcp_servers).flatMap(([name, server]) => (server.enabled ? [name] : []));
  const known = config.known_plugin_toolsets[surface] ?? [];
  const on = surfaceToolsets(
    {
      surface,
      ...listedToolsets(surface, config),
      pluginToolsets: known,
      knownPluginToolsets: known,
      mcpServers,
    },
    toolsets,
  );
  const here = configurableToolsets.filter((name) => restrictedToolsets[name]?.includes(surface) ?? true);
  const own = [...Object.keys(config.custom_toolsets), ...known, ...mcpServers.map((name) => `mcp-${name}`)];
  const all = [...new Set([...here, ...own, ...on])];
  const isEmpty = (name: string): boolean => {
    const tools = toolsets.resolve(name);
    return tools.length > 0 && !known.includes(name) && tools.every((tool) => absentTools.has(tool));
  };
  return { ...settings, surface, toolsets, on, all, empty: all.filter(isEmpty) };
}

function surfaceOf(invocation: Invocation): string {
  return flagText(invocation, "platform") ?? "cli";
}

/** Platforms of plugins are known by their settings. */
function checkSurface(surface: string, { platforms, platform_toolsets: lists }: Config): void {
  if (ownSurfaces.includes(surface) || isPlatformId(surface)) return;
  if (Object.hasOwn(platforms, surface) || Object.hasOwn(lists, surface)) return;
  const meant = nearest(surface, [...ownSurfaces, ...platformIds]);
  throw usageError(
    `There is no platform "${surface}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    "For example: cli, telegram, discord, cron.",
  );
}
