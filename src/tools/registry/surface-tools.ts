import { type Config, editConfig, type LoadedConfig, loadConfig } from "#config";
import type { HermesHome } from "#foundation/files/paths";
import type { RegistrySnapshot, ToolRegistry } from "./registry.ts";
import { listedToolsets, pluginToolsets, surfaceToolsets } from "./surface-toolsets.ts";
import { Toolsets } from "./toolsets.ts";

export interface SurfaceToolsLocation {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
  readonly toolbox: { readonly registry: ToolRegistry };
}

type ToolSettings = Pick<
  Config,
  "toolsets" | "platform_toolsets" | "known_plugin_toolsets" | "custom_toolsets" | "disabled_tools" | "mcp_servers"
>;

/** Which tools each surface has, as the settings say; a change made here counts for the next conversation. */
export class SurfaceTools {
  readonly #location: SurfaceToolsLocation;
  #settings: ToolSettings;
  /** What each surface has, for as long as neither the tools nor the settings are others. */
  #known:
    | { readonly tools: unknown; readonly aliases: unknown; readonly enabled: Map<string, readonly string[]> }
    | undefined;

  constructor(location: SurfaceToolsLocation) {
    this.#location = location;
    this.#settings = location.loaded.config;
  }

  requestFor(surface: string): {
    readonly enabledToolsets: readonly string[];
    readonly disabledTools: readonly string[];
  } {
    return {
      enabledToolsets: this.#enabledOn(surface),
      disabledTools: this.#settings.disabled_tools[surface] ?? [],
    };
  }

  #enabledOn(surface: string): readonly string[] {
    const snapshot = this.#location.toolbox.registry.snapshot();
    const { tools, aliases } = snapshot;
    if (this.#known?.tools !== tools || this.#known.aliases !== aliases)
      this.#known = { tools, aliases, enabled: new Map() };
    const enabled = this.#known.enabled.get(surface) ?? enabledOf(surface, this.#settings, snapshot);
    this.#known.enabled.set(surface, enabled);
    return enabled;
  }

  /** Turns toolsets or single tools of a surface on or off; a sentence for the person. */
  async set(surface: string, names: readonly string[], isEnabled: boolean): Promise<string> {
    const { home, env, toolbox } = this.#location;
    const { config } = await loadConfig({ home, env });
    const snapshot = toolbox.registry.snapshot();
    const toolsets = new Toolsets(snapshot, config.custom_toolsets);
    const groups = names.map((name) => toolsetName(name, toolsets)).filter((name) => name !== undefined);
    const single = names.filter((name) => toolsetName(name, toolsets) === undefined && snapshot.tools.has(name));
    const unknown = names.filter((name) => toolsetName(name, toolsets) === undefined && !snapshot.tools.has(name));
    const on = switched(enabledOf(surface, config, snapshot), groups, isEnabled);
    const off = switched(config.disabled_tools[surface] ?? [], single, !isEnabled);
    const changes = [
      ...(groups.length === 0 ? [] : [{ path: ["platform_toolsets", surface], value: on }]),
      ...(single.length === 0 ? [] : [{ path: ["disabled_tools", surface], value: off }]),
    ];
    if (changes.length > 0) {
      await editConfig(
        changes.map((change) => ({ kind: "set", ...change })),
        { home, env },
      );
      this.#settings = (await loadConfig({ home, env })).config;
      this.#known = undefined;
    }
    return [
      ...(changes.length === 0 ? [] : [`Changed: ${[...groups, ...single].join(", ")}.`]),
      ...unknown.map((name) => `There is no toolset or tool "${name}".`),
    ].join(" ");
  }
}

function enabledOf(surface: string, settings: ToolSettings, snapshot: RegistrySnapshot): readonly string[] {
  return surfaceToolsets(
    {
      surface,
      ...listedToolsets(surface, settings),
      pluginToolsets: pluginToolsets(snapshot),
      knownPluginToolsets: settings.known_plugin_toolsets[surface] ?? [],
      mcpServers: Object.keys(settings.mcp_servers),
    },
    new Toolsets(snapshot, settings.custom_toolsets),
  );
}

/** A server is also meant by its plain name. */
function toolsetName(name: string, toolsets: Toolsets): string | undefined {
  return [name, `mcp-${name}`].find((one) => toolsets.isKnown(one));
}

function switched(list: readonly string[], names: readonly string[], isIn: boolean): readonly string[] {
  const others = list.filter((name) => !names.includes(name));
  return isIn ? [...others, ...names] : others;
}
