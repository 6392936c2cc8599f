import type { ContextEngine } from "#agent";
import { isTruthy, type Machine, revealed } from "#config";
import { defined } from "#foundation/defined";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { isRecord } from "#foundation/text/json";
import { childEnvironment, type OpenSessions, type Toolbox, type ToolExtensions, type ToolRegistry } from "#tools";
import type { PluginSessions } from "./context.ts";
import { Contributions, type PluginCommand, type PluginSkill } from "./contributions.ts";
import type { DashboardTab } from "./dashboard-tab.ts";
import { Hooks, type SessionHooks } from "./hooks/hooks.ts";
import { readShellHooks } from "./hooks/read-shell-hooks.ts";
import { ShellConsent } from "./hooks/shell-consent.ts";
import { registerShellHooks } from "./hooks/shell-hooks.ts";
import { PluginHost } from "./host.ts";
import { PluginLock } from "./install/lock-file.ts";
import { PluginCalls } from "./plugin-calls.ts";
import { ProjectTrust, projectPlugins } from "./project-trust.ts";
import type { TerminalPart } from "./terminal-part.ts";
import { toolExtensions } from "./tool-extensions.ts";

export interface PluginsOptions {
  /** Slash commands that no plugin may take; asked for when the first plugin is loaded. */
  builtinCommands(): Promise<ReadonlySet<string>>;
  /** Folder of the plugins that come with the program. */
  readonly bundled?: string | undefined;
  /** `--accept-hooks` */
  readonly acceptHooks?: boolean | undefined;
  /** May this command of `hooks` run at this event? Without anybody to ask the answer is no. */
  confirmHook?: ((event: string, command: string, signal: AbortSignal) => Promise<boolean>) | undefined;
}

/** What plugins are connected to. */
export interface PluginTools {
  readonly registry: ToolRegistry;
  /** The whole pipeline for one call. */
  readonly callTool: PluginSessions["callTool"];
  /** Sees to it that the process of a plugin ends with this program. */
  adoptProcess(pid: number): Disposable;
  /** What holds programs of a session inside. */
  readonly wall: Toolbox["wall"];
}

/** A slash command of a plugin, run for a session. */
export type SessionCommand = Omit<PluginCommand, "handler"> & {
  handler(args: string, sessionKey: string): string | null | Promise<string | null>;
};

/**
 * The plugins of a home and its shell hooks. Nothing of theirs runs before {@link load}; what tools have of them comes
 * through {@link extensions}, so that tools know no plugins.
 */
export class Plugins implements AsyncDisposable {
  readonly #machine: Machine;
  readonly #options: PluginsOptions;
  readonly #calls = new PluginCalls();
  readonly #hooks: Hooks;
  readonly #contributions: Contributions;
  readonly #scope = new Scope();
  #sessions: OpenSessions | undefined;
  #host: PluginHost | undefined;

  constructor(machine: Machine, options: PluginsOptions) {
    const { logger, loaded } = machine;
    this.#machine = machine;
    this.#options = options;
    this.#hooks = new Hooks({ logger, timeoutMs: loaded.config.hooks_timeout_ms, calls: this.#calls });
    this.#contributions = new Contributions({ logger });
  }

  /** What tools are given of the plugins. */
  extensions(sessions: OpenSessions): ToolExtensions {
    this.#sessions = sessions;
    return toolExtensions({ hooksFor: (key) => this.hooksFor(key), contributions: this.#contributions });
  }

  /** Hooks, called for a session. */
  hooksFor(sessionKey: string): SessionHooks {
    return this.#hooks.for(() => this.#sessions?.location(sessionKey));
  }

  /** Loads what is enabled, the one plugin each that another setting has chosen, and the shell hooks. */
  async load(tools: PluginTools, signal: AbortSignal): Promise<void> {
    this.#host = this.#scope.adopt(this.#openHost(tools));
    await this.#host.load();
    await this.#enableChosen(this.#host);
    await this.#loadShellHooks(tools, signal);
  }

  get commands(): readonly SessionCommand[] {
    return [...this.#contributions.commands.values()].map((command) => ({
      ...command,
      handler: (args, sessionKey) => this.#calls.run(this.#sessions?.location(sessionKey), () => command.handler(args)),
    }));
  }

  /** What is installed, and what became of it. */
  get list(): readonly { readonly name: string; readonly version: string; readonly state: string }[] {
    return (this.#host?.list ?? []).map(({ key, version, state }) => ({ name: key, version, state: state.kind }));
  }

  get skills(): readonly PluginSkill[] {
    return [...this.#contributions.skills.values()];
  }

  get memoryProviders(): readonly unknown[] {
    const { memoryProvider } = this.#contributions;
    return memoryProvider === undefined ? [] : [memoryProvider];
  }

  get contextEngines(): readonly ContextEngine[] {
    return [this.#contributions.contextEngine].filter(isContextEngine);
  }

  /** What plugins bring for the terminal; imported at the call, which only a terminal makes. */
  terminalExtensions(): Promise<readonly TerminalPart[]> {
    return this.#host?.terminalExtensions() ?? Promise.resolve([]);
  }

  /** The tabs that plugins bring for the dashboard. */
  get dashboardTabs(): readonly DashboardTab[] {
    return this.#host?.dashboardTabs ?? [];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope[Symbol.asyncDispose]();
  }

  #openHost({ registry, callTool, adoptProcess }: PluginTools): PluginHost {
    const { home, loaded, logger, cwd } = this.#machine;
    const { plugins } = loaded.config;
    const env = loaded.environment.variables;
    const settings = revealed(plugins.settings);
    const hasProjectPlugins = isTruthy(env["HERMES_ENABLE_PROJECT_PLUGINS"]) && loaded.trust.isTrusted(cwd);
    const { bundled } = this.#options;
    return new PluginHost({
      locations: {
        user: home.plugins,
        packages: home.nodeModules,
        ...defined({ bundled }),
        ...(hasProjectPlugins ? { project: projectPlugins(cwd) } : {}),
      },
      choice: { enabled: plugins.enabled, disabled: plugins.disabled },
      wiring: {
        registry,
        hooks: this.#hooks,
        contributions: this.#contributions,
        logger,
        hermesHome: home.root,
        config: isRecord(settings) ? settings : {},
        calls: this.#calls,
        sessions: { location: (key) => this.#sessions?.location(key), callTool },
      },
      env,
      trust: new ProjectTrust(home.at("trust.json"), never),
      lock: new PluginLock(home.pluginsLock, never),
      isolation: plugins.isolation,
      adoptProcess,
      beforeLoading: async () => this.#contributions.reserve(await this.#options.builtinCommands()),
    });
  }

  /** What failed is said once. */
  async #enableChosen(host: PluginHost): Promise<void> {
    const { loaded, notice } = this.#machine;
    const { memory, context, plugins } = loaded.config;
    const chosen = new Set([memory.provider, context.engine].filter((name) => name !== ""));
    for (const { key, state } of host.list)
      if (state.kind === "recorded" && namesOf(key).some((name) => chosen.has(name))) await host.enable(key);
    const found = new Map(host.list.flatMap((one) => namesOf(one.key).map((name) => [name, one] as const)));
    for (const name of new Set([...plugins.enabled, ...chosen])) {
      const plugin = found.get(name);
      if (plugin?.state.kind === "failed") notice(`The plugin ${plugin.key} is not loaded: ${plugin.state.reason}.`);
      // What other settings name need not be a plugin.
      if (plugin === undefined && !chosen.has(name))
        notice(`plugins.enabled names ${name}, but there is no such plugin.`);
    }
  }

  /** The commands of `hooks` that the person has agreed to. */
  async #loadShellHooks({ wall }: PluginTools, signal: AbortSignal): Promise<void> {
    const { home, loaded, logger, cwd, notice } = this.#machine;
    const { config } = loaded;
    const env = loaded.environment.variables;
    const userHome = env["HOME"]?.trim() ?? "";
    const configured = readShellHooks(config.hooks, logger, userHome === "" ? {} : { userHome });
    if (configured.length === 0) return;
    const childEnv = { ...childEnvironment(env, { policy: "minimal" }), HERMES_HOME: home.root };
    const { confirmHook, acceptHooks } = this.#options;
    const registered = await registerShellHooks(this.#hooks, configured, {
      deps: {
        logger,
        consent: new ShellConsent(home.shellHooksAllowlist, { cwd, env: childEnv }, never),
        autoAccept: acceptHooks === true || config.hooks_auto_accept,
        env: childEnv,
        cwd,
        wall: async (stop) => {
          const session = this.#calls.current?.scope;
          return session === undefined ? undefined : wall(session, stop);
        },
        ...defined({ ask: confirmHook }),
      },
      signal,
    });
    for (const one of registered) this.#scope.adopt(one);
    const left = configured.length - registered.length;
    if (left > 0)
      notice(
        `${left} of ${configured.length} shell hooks do not run: nobody has allowed them yet. See: hermes hooks list`,
      );
  }
}

/** A plugin that lies one level deeper is also known by its last part. */
function namesOf(key: string): readonly string[] {
  return [...new Set([key, key.split("/").at(-1) ?? key])];
}

/** What plugins register is not checked by a compiler. */
function isContextEngine(value: Partial<ContextEngine> | undefined): value is ContextEngine {
  if (value === undefined) return false;
  const { compress, shouldCompress, updateFromResponse } = value;
  return [compress, shouldCompress, updateFromResponse].every((method) => typeof method === "function");
}
