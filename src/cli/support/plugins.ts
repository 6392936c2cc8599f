import { homedir } from "node:os";
import { silentLogger } from "#foundation/files/logger";
import { importModule } from "#foundation/process/import-module";
import {
  Contributions,
  Hooks,
  noSessions,
  PluginCalls,
  PluginHost,
  PluginInstaller,
  PluginLock,
  ProjectTrust,
} from "#plugins";
import { ToolRegistry } from "#tools";
import type { Invocation } from "../command.ts";
import { commandNames } from "../command-names.ts";
import { loadSettings, type Settings } from "./settings.ts";

export interface OpenPlugins extends Settings {
  readonly host: PluginHost;
  readonly installer: PluginInstaller;
  readonly lock: PluginLock;
  readonly contributions: Contributions;
}

/** The plugins of the home. Nothing of theirs runs unless `isLoaded` asks for the enabled ones. */
export async function openPlugins(
  invocation: Invocation,
  options: { readonly isLoaded: boolean },
): Promise<OpenPlugins> {
  const settings = await loadSettings(invocation, { isQuiet: true });
  const { home, loaded } = settings;
  const { io } = invocation;
  const { plugins, hooks_timeout_ms: timeoutMs } = loaded.config;
  const logger = silentLogger;
  const lock = new PluginLock(home.pluginsLock, io.signal);
  const contributions = new Contributions({ logger, builtinCommands: new Set(commandNames(invocation.root)) });
  const env = loaded.environment.variables;
  const host = new PluginHost({
    locations: { user: home.plugins, packages: home.nodeModules },
    choice: options.isLoaded ? plugins : { enabled: [], disabled: plugins.disabled },
    wiring: {
      registry: new ToolRegistry(logger),
      hooks: new Hooks({ logger, timeoutMs }),
      contributions,
      logger,
      calls: new PluginCalls(),
      sessions: noSessions,
      hermesHome: home.root,
      config: plugins.settings,
    },
    env,
    trust: new ProjectTrust(home.at("trust.json"), io.signal),
    lock,
    importModule,
  });
  await host.load();
  const installer = new PluginInstaller({
    plugins: home.plugins,
    lock,
    env: definedOf(env),
    location: { cwd: io.cwd, home: io.env["HOME"] ?? homedir() },
    logger,
  });
  return { ...settings, host, installer, lock, contributions };
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}
