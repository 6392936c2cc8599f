import { holdsEverything, type LoadedConfig } from "#config";
import { ProjectTrust } from "#plugins";
import type { Invocation } from "../command.ts";
import { homeOf } from "../support/home.ts";
import type { ConfirmTrust } from "./screen-prompter.ts";

export interface FolderTrust {
  readonly loaded: LoadedConfig;
  readonly location: string;
  readonly invocation: Invocation;
  readonly confirmTrust: ConfirmTrust;
  reload(): Promise<LoadedConfig>;
}

/**
 * At the first run in a folder that has instructions or settings of its own, the person decides once whether they count. The
 * settings as they are after that. A home is never asked about: it holds too much to be trusted by a key press.
 */
export async function settingsAfterTrust(trust: FolderTrust): Promise<LoadedConfig> {
  const { loaded, location, invocation } = trust;
  const { env, signal } = invocation.io;
  if (!loaded.trust.isUndecided(location) || holdsEverything(location, env)) return loaded;
  if (!(await trust.confirmTrust(location, signal))) {
    if (!signal.aborted) await loaded.trust.refuse(location, signal);
    return loaded;
  }
  const trusted = await loaded.trust.trust(location, signal);
  await new ProjectTrust(homeOf(invocation).at("trust.json"), signal).trustProject(trusted);
  return trust.reload();
}
