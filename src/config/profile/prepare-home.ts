import { statSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { ensureDir } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { isContainer, type Machine, thisMachine } from "#foundation/process/platform";
import { managedBy } from "../managed.ts";
import { isTruthy } from "../switches.ts";

export interface PreparedHome {
  readonly wasCreated: boolean;
  /** Files that others could read until now. */
  readonly tightened: readonly string[];
}

/** Files that hold credentials. */
const secretFiles = [".env", "auth.json", ".anthropic_oauth.json", "config.yaml.bak"];

/**
 * Creates the home on first use and keeps it and its credentials to their owner. In a container or a managed
 * install the permissions are somebody else's business and stay as they are.
 */
export async function prepareHome(
  home: HermesHome,
  env: NodeJS.ProcessEnv,
  machine: Machine = thisMachine(env),
): Promise<PreparedHome> {
  const wasCreated = modeOf(home.root) === undefined;
  const ownsModes = !isTruthy(env.HERMES_SKIP_CHMOD) && !isContainer(machine) && managedBy(home, env) === undefined;
  await ensureDir(home.root, ownsModes ? homeMode(env) : undefined);
  if (!ownsModes) return { wasCreated, tightened: [] };
  // The mode given on creation is reduced by the umask; this one is exact. An older home is left as its owner made it.
  if (wasCreated) await chmod(home.root, homeMode(env));
  const tightened: string[] = [];
  for (const name of secretFiles) {
    const mode = modeOf(home.at(name));
    if (mode === undefined || (mode & 0o077) === 0) continue;
    await chmod(home.at(name), 0o600);
    tightened.push(home.at(name));
  }
  return { wasCreated, tightened };
}

function homeMode(env: NodeJS.ProcessEnv): number {
  const written = env.HERMES_HOME_MODE?.trim() ?? "";
  return /^0?[0-7]{3}$/.test(written) ? Number.parseInt(written, 8) : 0o700;
}

function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : found.mode & 0o777;
}
