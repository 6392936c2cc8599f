import { homedir } from "node:os";
import { readHookSection, ShellConsent, type ShellHookReading } from "#plugins";
import { childEnvironment } from "#tools";
import type { Invocation } from "../../command.ts";
import { loadSettings, type Settings } from "../../support/settings.ts";

export interface OpenHooks extends Settings {
  readonly reading: ShellHookReading;
  readonly consent: ShellConsent;
  /** Hooks run unasked: `hooks_auto_accept` or `HERMES_ACCEPT_HOOKS`. */
  readonly autoAccept: boolean;
  /** Where and with what their commands are started, as the agent does it. */
  readonly location: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
  readonly userHome: string;
}

/** The shell hooks of the settings and what was allowed of them. Nothing runs. */
export async function openHooks(
  invocation: Invocation,
  options: { readonly isQuiet?: boolean } = {},
): Promise<OpenHooks> {
  const settings = await loadSettings(invocation, options);
  const { config, environment } = settings.loaded;
  const { cwd, signal } = invocation.io;
  const env = environment.variables;
  const location = { cwd, env: childEnvironment(env, { policy: "minimal" }) };
  const userHome = (env["HOME"] ?? "").trim() || homedir();
  return {
    ...settings,
    reading: readHookSection(config.hooks, { userHome }),
    consent: new ShellConsent(settings.home.shellHooksAllowlist, location, signal),
    autoAccept: config.hooks_auto_accept,
    location,
    userHome,
  };
}
