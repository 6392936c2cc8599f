import { defined } from "#foundation/defined";
import type { RegistrySnapshot } from "./registry.ts";
import {
  configurableToolsets,
  defaultOffToolsets,
  leafToolsets,
  presetToolsets,
  restrictedToolsets,
} from "./toolset-catalogue.ts";
import type { Toolsets } from "./toolsets.ts";

/** What decides the toolsets of one surface; all of it comes from the configuration and the registry. */
export interface SurfaceOptions {
  /** `cli`, `telegram`, `api_server`, … */
  readonly surface: string;
  /** `platform_toolsets.<surface>`; undefined when absent or not a list. */
  readonly listed?: readonly unknown[];
  readonly pluginToolsets: readonly string[];
  /** Plugin toolsets this surface has been asked about before (`known_plugin_toolsets`). */
  readonly knownPluginToolsets: readonly string[];
  readonly mcpServers: readonly string[];
}

const withoutMcp = "no_mcp";

/** A surface without a preset of its own, such as a program that uses the library, has what the terminal has. */
function defaultPreset(surface: string): string {
  const own = `hermes-${surface.replaceAll("_", "-")}`;
  return Object.hasOwn(presetToolsets, own) ? own : "hermes-cli";
}

/** The settings in which a person lists the toolsets of surfaces. */
interface ListedToolsets {
  readonly toolsets: readonly string[];
  readonly platform_toolsets: Readonly<Record<string, readonly string[]>>;
}

/** What the settings list for a surface: its own list, and in the terminal without one the general list. */
export function listedToolsets(surface: string, settings: ListedToolsets): Pick<SurfaceOptions, "listed"> {
  const listed = settings.platform_toolsets[surface] ?? (surface === "cli" ? settings.toolsets : undefined);
  return defined({ listed });
}

/** The toolsets that only plugins brought along. */
export function pluginToolsets({ tools }: RegistrySnapshot): readonly string[] {
  const names = [...tools.values()].filter(({ origin }) => origin === "plugin").map(({ toolset }) => toolset);
  return [...new Set(names)].filter((name) => !Object.hasOwn(leafToolsets, name)).sort();
}

/** The toolsets that are on for a surface, in checklist order, then plugins, MCP servers and the user's own. */
export function surfaceToolsets(options: SurfaceOptions, toolsets: Toolsets): readonly string[] {
  const listed = (options.listed ?? [defaultPreset(options.surface)]).map(String);
  const mayUse = (name: string): boolean => restrictedToolsets[name]?.includes(options.surface) ?? true;
  const explicit = listed.filter((name) => configurableToolsets.includes(name));
  const chosen =
    explicit.length > 0 ? explicit.filter(mayUse) : inferred(options.surface, listed, toolsets).filter(mayUse);
  const ordered = configurableToolsets.filter((name) => chosen.includes(name));
  return [
    ...new Set([
      ...ordered,
      ...ownLeaves(options.surface, toolsets),
      ...options.pluginToolsets.filter((name) => isPluginOn(name, listed, options)),
      ...mcpToolsets(listed, options.mcpServers),
      ...passedThrough(listed, options),
    ]),
  ];
}

/** From composites: a configurable toolset is on when all its tools are in, unless it is off by default. */
function inferred(surface: string, listed: readonly string[], toolsets: Toolsets): readonly string[] {
  const tools = new Set(listed.flatMap((name) => toolsets.resolve(name)));
  return configurableToolsets.filter((name) => {
    const own = toolsets.resolve(name);
    const isOff = defaultOffToolsets.has(name) && !(name === surface && restrictedToolsets[name] === undefined);
    return !isOff && own.length > 0 && own.every((tool) => tools.has(tool));
  });
}

/** Leaves outside the checklist that belong to this surface only, such as `feishu_doc` on Feishu. */
function ownLeaves(surface: string, toolsets: Toolsets): readonly string[] {
  const preset = new Set(toolsets.resolve(defaultPreset(surface)));
  const claimed = new Set(configurableToolsets.flatMap((name) => leafToolsets[name]?.tools ?? []));
  return Object.entries(leafToolsets)
    .filter(([name, entry]) => {
      if (configurableToolsets.includes(name)) return false;
      return entry.tools.every((tool) => preset.has(tool) && !claimed.has(tool));
    })
    .map(([name]) => name);
}

function isPluginOn(name: string, listed: readonly string[], options: SurfaceOptions): boolean {
  if (listed.includes(name)) return true;
  if (defaultOffToolsets.has(name)) return false;
  return !options.knownPluginToolsets.includes(name);
}

function mcpToolsets(listed: readonly string[], servers: readonly string[]): readonly string[] {
  if (listed.includes(withoutMcp)) return [];
  const named = servers.filter((server) => listed.includes(server) || listed.includes(`mcp-${server}`));
  return (named.length > 0 ? named : servers).map((server) => `mcp-${server}`);
}

function passedThrough(listed: readonly string[], options: SurfaceOptions): readonly string[] {
  const spoken = new Set([
    ...configurableToolsets,
    ...options.pluginToolsets,
    ...options.mcpServers,
    ...options.mcpServers.map((server) => `mcp-${server}`),
    withoutMcp,
  ]);
  return listed.filter((name) => !spoken.has(name) && !name.startsWith("hermes-"));
}
