import { silentLogger } from "#foundation/files/logger";
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

const platformPattern = /^[a-z][a-z0-9_-]{0,31}$/;

/** The toolsets of one surface as the settings say, without opening any tool. */
export async function surfaceTools(invocation: Invocation, surface = surfaceOf(invocation)): Promise<SurfaceTools> {
  const settings = await loadSettings(invocation);
  const { config } = settings.loaded;
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
  const surface = flagText(invocation, "platform") ?? "cli";
  if (platformPattern.test(surface)) return surface;
  throw usageError(`"${surface}" is not the name of a surface.`, "For example: cli, telegram, discord, cron.");
}
