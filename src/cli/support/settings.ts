import { formatWarning, type LoadedConfig, loadConfig } from "#config";
import type { HermesHome } from "#foundation/files/paths";
import type { Invocation } from "../command.ts";
import { homeOf } from "./home.ts";

export interface Settings {
  readonly home: HermesHome;
  readonly loaded: LoadedConfig;
}

/** The settings of the home. What is wrong with them is said once, on standard error. */
export async function loadSettings(
  invocation: Invocation,
  options: { readonly isQuiet?: boolean } = {},
): Promise<Settings> {
  const home = homeOf(invocation);
  const { io, global } = invocation;
  const loaded = await loadConfig({
    home,
    env: io.env,
    cwd: io.cwd,
    trusted: global.trustsFolder ? [io.cwd] : undefined,
    ...(global.ignoresUserConfig === true ? { ignoreUserConfig: true } : {}),
  });
  if (options.isQuiet !== true) {
    for (const warning of loaded.warnings) io.stderr.write(`${warning.severity}: ${formatWarning(warning)}\n`);
  }
  return { home, loaded };
}

/** What every change of a setting needs to know. */
export function editOptions(invocation: Invocation, home: HermesHome) {
  return { home, env: invocation.io.env, signal: invocation.io.signal };
}
