import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import { Scope } from "#foundation/lifecycle/disposal";
import { importModule } from "#foundation/process/import-module";
import { isRecord } from "#foundation/text/json";
import type { PluginContext } from "./api.ts";
import { createPluginContext, dataFolderOf, type PluginWiring } from "./context.ts";
import type { DashboardTab } from "./dashboard-tab.ts";
import { type Discovery, discoverPlugins, type FoundPlugin, type PluginPlaces, type PluginSource } from "./discover.ts";
import type { PluginLock } from "./install/lock-file.ts";
import type { ProjectTrust } from "./project-trust.ts";
import { loadTerminalPart, type TerminalPart } from "./terminal-part.ts";

interface PluginChoice {
  readonly enabled: readonly string[];
  /** Always wins. */
  readonly disabled: readonly string[];
}

export interface PluginHostOptions {
  readonly locations: PluginPlaces;
  readonly choice: PluginChoice;
  readonly wiring: PluginWiring;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trust: ProjectTrust;
  /** Knows what installed plugins looked like; without it they are not compared. */
  readonly lock?: Pick<PluginLock, "isUnchanged">;
  /** `plugins.isolation`: `process` gives every plugin that did not come with the program a process of its own. */
  readonly isolation?: "none" | "process";
  /** Gives the process of a plugin to whoever ends it should we be killed. */
  adoptProcess?(pid: number): Disposable;
  /** Has to be done before a plugin registers anything. */
  beforeLoading?(): Promise<void>;
  /** Replaced in tests that must see what is imported. */
  importModule?(url: string): Promise<unknown>;
}

/** What became of a plugin, for `hermes plugins list`. */
export type PluginState =
  | { readonly kind: "enabled" }
  | { readonly kind: "disabled" }
  | { readonly kind: "not enabled" }
  /** Chosen elsewhere, for example by `memory.provider`. */
  | { readonly kind: "recorded" }
  | { readonly kind: "failed"; readonly reason: string };

export interface PluginEntry {
  readonly key: string;
  readonly source: PluginSource;
  readonly folder: string;
  readonly version: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly state: PluginState;
}

/**
 * Finds, loads and unloads plugins.
 *
 * 1. A module is imported only when its plugin is enabled and everything it needs is there.
 * 2. Whatever a plugin registered goes with it: on failure at once, on disabling, on disposal.
 * 3. A plugin that fails never keeps another from loading.
 */
export class PluginHost implements AsyncDisposable {
  readonly #options: PluginHostOptions;
  readonly #scopes = new Map<string, Scope>();
  readonly #states = new Map<string, PluginState>();
  #discovery: Discovery | undefined;
  #imports = 0;

  constructor(options: PluginHostOptions) {
    this.#options = options;
  }

  /** Loads what is enabled. Calling it again does nothing; `force` looks at the folders anew. */
  async load(options: { readonly force?: boolean } = {}): Promise<void> {
    if (this.#discovery !== undefined && options.force !== true) return;
    for (const key of [...this.#scopes.keys()]) await this.unload(key);
    this.#states.clear();
    this.#discovery = await discoverPlugins(this.#options.locations, this.#options.wiring.logger);
    for (const plugin of this.#discovery.found.values()) this.#states.set(plugin.key, await this.#activate(plugin));
  }

  get list(): readonly PluginEntry[] {
    const { found = new Map<string, FoundPlugin>(), broken = [] } = this.#discovery ?? {};
    return [
      ...[...found.values()].map(({ key, source, folder, manifest }) => ({
        key,
        source,
        folder,
        version: manifest.version,
        description: manifest.description,
        permissions: manifest.permissions,
        state: this.#states.get(key) ?? ({ kind: "not enabled" } as const),
      })),
      ...broken.map(({ key, source, folder, reason }) => ({
        key,
        source,
        folder,
        version: "",
        description: "",
        permissions: [],
        state: { kind: "failed", reason } as const,
      })),
    ];
  }

  /** Loads one plugin by its key, whatever the configuration says: the person, or `memory.provider`, has chosen it. */
  async enable(key: string): Promise<PluginState> {
    const plugin = this.#discovery?.found.get(key);
    if (plugin === undefined) return { kind: "failed", reason: `there is no plugin ${key}` };
    const state = this.#scopes.has(key) ? ({ kind: "enabled" } as const) : await this.#loadOne(plugin);
    this.#states.set(key, state);
    return state;
  }

  /** Takes back everything the plugin registered. */
  async disable(key: string): Promise<void> {
    await this.unload(key);
    if (this.#discovery?.found.has(key) === true) this.#states.set(key, { kind: "disabled" });
  }

  async unload(key: string): Promise<void> {
    const scope = this.#scopes.get(key);
    this.#scopes.delete(key);
    try {
      await scope?.[Symbol.asyncDispose]();
    } catch (error) {
      this.#options.wiring.logger.warn("plugin did not clean up", { plugin: key, error: describe(error) });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const key of [...this.#scopes.keys()].reverse()) await this.unload(key);
  }

  async #activate(plugin: FoundPlugin): Promise<PluginState> {
    const { key, manifest, source } = plugin;
    const { enabled, disabled } = this.#options.choice;
    const isNamed = (names: readonly string[]): boolean => names.includes(key) || names.includes(manifest.name);
    if (isNamed(disabled)) return { kind: "disabled" };
    if (manifest.kind === "exclusive") return { kind: "recorded" };
    if (!isNamed(enabled) && !(source === "bundled" && manifest.kind === "backend")) return { kind: "not enabled" };
    return this.#loadOne(plugin);
  }

  async #loadOne(plugin: FoundPlugin): Promise<PluginState> {
    const { wiring } = this.#options;
    const obstacle = await this.#obstacle(plugin);
    if (obstacle !== undefined) {
      wiring.logger.warn("plugin not loaded", { plugin: plugin.key, reason: obstacle });
      return { kind: "failed", reason: obstacle };
    }
    const scope = new Scope();
    try {
      await this.#options.beforeLoading?.();
      const context = createPluginContext(plugin, wiring, scope);
      // One without a module has a part for the terminal or the dashboard only.
      if (plugin.entry !== undefined) await this.#start(plugin, context);
      this.#scopes.set(plugin.key, scope);
      return { kind: "enabled" };
    } catch (error) {
      this.#scopes.set(plugin.key, scope);
      await this.unload(plugin.key);
      wiring.logger.error("plugin failed to load", { plugin: plugin.key, error: describe(error) });
      return { kind: "failed", reason: describe(error) };
    }
  }

  async #start(plugin: FoundPlugin, context: PluginContext): Promise<void> {
    if (this.#isIsolated(plugin)) await this.#isolate(plugin, context);
    else await (await this.#import(plugin))(context);
  }

  /** The terminal parts of the plugins that are loaded, imported now. One that fails keeps no other from loading. */
  async terminalExtensions(): Promise<readonly TerminalPart[]> {
    const parts: TerminalPart[] = [];
    for (const plugin of this.#discovery?.found.values() ?? []) {
      const scope = this.#scopes.get(plugin.key);
      if (plugin.tui === undefined || scope === undefined) continue;
      if (this.#isIsolated(plugin)) {
        const reason = "plugins.isolation keeps it in a process of its own, and the terminal is in this one";
        parts.push({ kind: "left-out", plugin: plugin.key, reason });
        continue;
      }
      const context = createPluginContext(plugin, this.#options.wiring, scope);
      const load = (): Promise<unknown> => this.#importFile(plugin.tui ?? "");
      parts.push(await loadTerminalPart(plugin.key, context, load));
    }
    return parts;
  }

  /** The tabs in the dashboard of the plugins that are loaded. Nothing of them runs in this program. */
  get dashboardTabs(): readonly DashboardTab[] {
    return [...(this.#discovery?.found.values() ?? [])].flatMap(({ key, dashboardPage: page, manifest }) => {
      if (page === undefined || !this.#scopes.has(key)) return [];
      const dataFile = join(dataFolderOf(this.#options.wiring, key), "dashboard.json");
      return [{ name: key, title: manifest.dashboard?.title ?? key, page, dataFile }];
    });
  }

  #isIsolated({ source }: FoundPlugin): boolean {
    return this.#options.isolation === "process" && source !== "bundled";
  }

  async #isolate(plugin: FoundPlugin, context: PluginContext): Promise<void> {
    const { env, adoptProcess, wiring } = this.#options;
    const { startIsolated } = await import("./isolated/isolated-plugin.ts");
    await startIsolated(plugin, context, {
      env,
      ...defined({ adopt: adoptProcess }),
      onCrash: (reason) => {
        wiring.logger.error("the process of a plugin is gone; the plugin is off", { plugin: plugin.key, reason });
        this.#states.set(plugin.key, { kind: "failed", reason });
        void this.unload(plugin.key);
      },
    });
  }

  async #obstacle(plugin: FoundPlugin): Promise<string | undefined> {
    const { env, trust } = this.#options;
    const missing = plugin.manifest.requiresEnv.filter(({ name }) => (env[name] ?? "") === "").map(({ name }) => name);
    if (missing.length > 0)
      return `it needs ${missing.join(", ")}, which ${missing.length === 1 ? "is" : "are"} not set`;
    if (plugin.entry === undefined && plugin.tui === undefined && plugin.dashboardPage === undefined)
      return "it has no index.js, index.mjs or index.ts";
    if (plugin.source === "project" && !(await trust.isTrusted(plugin))) {
      return `it belongs to a project and has not been trusted, or has changed since (${plugin.folder}); look at it, then: hermes trust add`;
    }
    if (plugin.source === "user" && (await this.#options.lock?.isUnchanged(plugin)) === false) {
      return `its files have changed since it was installed; look at ${plugin.folder}, then confirm or update it`;
    }
    return undefined;
  }

  async #import({ entry = "", key }: FoundPlugin): Promise<(context: PluginContext) => unknown> {
    const loaded = await this.#importFile(entry);
    const exported = isModule(loaded) ? (loaded["register"] ?? loaded["default"]) : undefined;
    const register = isRecord(exported) ? exported["register"] : exported;
    if (typeof register !== "function") throw new Error(`the module of ${key} exports no register function`);
    return register as (context: PluginContext) => unknown;
  }

  /** A query makes each import a new one, so that a reload runs the new code. */
  async #importFile(file: string): Promise<unknown> {
    if (file.endsWith(".ts") && !("typescript" in process.features)) {
      throw new Error("this Node does not run TypeScript; compile the plugin to index.js");
    }
    const url = pathToFileURL(file);
    this.#imports += 1;
    if (this.#imports > 1) url.searchParams.set("load", String(this.#imports));
    return await (this.#options.importModule ?? importModule)(url.href);
  }
}

/** A module namespace has no prototype, so it is not a record in the usual sense. */
function isModule(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
