import { join } from "node:path";
import type { ContextEngine } from "#agent";
import { isTruthy } from "#config";
import { never } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import {
  Contributions,
  type Hooks,
  type PluginCalls,
  PluginHost,
  PluginLock,
  type PluginSessions,
  ProjectTrust,
  readShellHooks,
  registerShellHooks,
  ShellConsent,
} from "#plugins";
import { childEnvironment, type Guardian, type ToolRegistry } from "#tools";
import type { Toolbox } from "../toolbox.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { revealed } from "./revealed.ts";
import type { ToolboxBase } from "./toolbox-options.ts";

export interface PluginParts {
  readonly registry: ToolRegistry;
  readonly hooks: Hooks;
  readonly guardian: Guardian;
  readonly sessions: OpenSessions;
  readonly calls: PluginCalls;
  readonly callTool: PluginSessions["callTool"];
  readonly contributions: Contributions;
}

export interface Plugins {
  readonly host: PluginHost;
  readonly contributions: Contributions;
  readonly api: Toolbox["plugins"];
}

/** What plugins will add besides tools and hooks. */
export function openContributions({ options }: ToolboxBase): Contributions {
  return new Contributions({ logger: options.logger, builtinCommands: options.builtinCommands ?? new Set<string>() });
}

/** Finds the plugins and makes those ready that will be loaded; nothing of theirs runs before {@link PluginHost.load}. */
export function openPlugins(base: ToolboxBase, parts: PluginParts): Plugins {
  const { registry, hooks, guardian, sessions, calls, callTool, contributions } = parts;
  const { options, config, env, cwd, scope } = base;
  const { home, logger, bundledPlugins } = options;
  const settings = revealed(config.plugins.settings);
  const hasProjectPlugins = isTruthy(env["HERMES_ENABLE_PROJECT_PLUGINS"]);
  const host = scope.adopt(
    new PluginHost({
      places: {
        user: home.plugins,
        packages: home.nodeModules,
        ...(bundledPlugins === undefined ? {} : { bundled: bundledPlugins }),
        ...(hasProjectPlugins ? { project: join(cwd, ".hermes", "plugins") } : {}),
      },
      choice: { enabled: config.plugins.enabled, disabled: config.plugins.disabled },
      wiring: {
        registry,
        hooks,
        contributions,
        logger,
        hermesHome: home.root,
        config: isRecord(settings) ? settings : {},
        calls,
        sessions: { place: (key) => sessions.place(key), callTool },
      },
      env,
      trust: new ProjectTrust(home.at("trusted-plugins.json"), never),
      lock: new PluginLock(home.pluginsLock, never),
      isolation: config.plugins.isolation,
      adoptProcess: (pid) => guardian.watch(pid),
    }),
  );
  return {
    host,
    contributions,
    api: {
      commands: () =>
        [...contributions.commands.values()].map((command) => ({
          ...command,
          handler: (args, sessionKey) => calls.run(sessions.place(sessionKey), () => command.handler(args)),
        })),
      list: () => host.list.map(({ key, version, state }) => ({ name: key, version, state: state.kind })),
      skills: () => [...contributions.skills.values()],
      memoryProviders: () => (contributions.memoryProvider === undefined ? [] : [contributions.memoryProvider]),
      contextEngines: () => [contributions.contextEngine].filter(isContextEngine),
      terminalParts: () => host.terminalParts(),
    },
  };
}

/** Loads what is enabled, and the one plugin each that another setting has chosen. What failed is said once. */
export async function loadPlugins({ options, config }: ToolboxBase, { host }: Plugins): Promise<void> {
  await host.load();
  const chosen = new Set([config.memory.provider, config.context.engine].filter((name) => name !== ""));
  for (const { key, state } of host.list)
    if (state.kind === "recorded" && namesOf(key).some((name) => chosen.has(name))) await host.enable(key);
  const found = new Map(host.list.flatMap((one) => namesOf(one.key).map((name) => [name, one] as const)));
  for (const name of new Set([...config.plugins.enabled, ...chosen])) {
    const plugin = found.get(name);
    if (plugin?.state.kind === "failed")
      options.onNotice(`The plugin ${plugin.key} is not loaded: ${plugin.state.reason}.`);
    // What other settings name need not be a plugin.
    if (plugin === undefined && !chosen.has(name))
      options.onNotice(`plugins.enabled names ${name}, but there is no such plugin.`);
  }
}

/** A plugin that lies one level deeper is also known by its last part. */
function namesOf(key: string): readonly string[] {
  return [...new Set([key, key.split("/").at(-1) ?? key])];
}

/** The commands of `hooks` that the person has agreed to. */
export async function loadShellHooks(base: ToolboxBase, hooks: Hooks, signal: AbortSignal): Promise<void> {
  const { options, config, env, cwd, scope } = base;
  const { logger, confirmHook } = options;
  const userHome = env["HOME"]?.trim() ?? "";
  const configured = readShellHooks(config.hooks, logger, userHome === "" ? {} : { userHome });
  if (configured.length === 0) return;
  const childEnv = childEnvironment(env, { policy: "minimal" });
  const registered = await registerShellHooks(hooks, configured, {
    deps: {
      logger,
      consent: new ShellConsent(options.home.shellHooksAllowlist, { cwd, env: childEnv }, never),
      autoAccept: options.acceptHooks === true || config.hooks_auto_accept,
      env: childEnv,
      cwd,
      ...(confirmHook === undefined ? {} : { ask: confirmHook }),
    },
    signal,
  });
  for (const one of registered) scope.adopt(one);
  const left = configured.length - registered.length;
  if (left > 0)
    options.onNotice(
      `${left} of ${configured.length} shell hooks do not run: nobody has allowed them yet. See: hermes hooks list`,
    );
}

/** What plugins register is not checked by a compiler. */
function isContextEngine(value: Partial<ContextEngine> | undefined): value is ContextEngine {
  if (value === undefined) return false;
  const { compress, shouldCompress, updateFromResponse } = value;
  return [compress, shouldCompress, updateFromResponse].every((method) => typeof method === "function");
}
