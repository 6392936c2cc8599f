import type { LoadedConfig } from "#config";
import { findExecutable } from "#foundation/process/platform";

/**
 * A command scanner that somebody asked for and that is not there. By default it is used where it is installed, and
 * nobody is told that it is not: commands are judged without it as well.
 */
export function scannerWarning(loaded: LoadedConfig, env: NodeJS.ProcessEnv): string | undefined {
  const { tirith_enabled: isWanted, tirith_path: program, tirith_fail_open: goesOn } = loaded.config.security;
  const isAsked = !goesOn || [enabledKey, pathKey].some((key) => loaded.provenance(key).kind !== "default");
  if (!isWanted || !isAsked || findExecutable(program, env) !== undefined) return undefined;
  const what = goesOn ? "Commands are judged by the built-in rules alone" : "Every command is asked about";
  return `The command scanner ${program} is not installed. ${what}. Install it, or: hermes config set ${enabledKey} off`;
}

const enabledKey = "security.tirith_enabled";
const pathKey = "security.tirith_path";
