import { changeSetting, loadConfig } from "#config";
import { describe } from "#foundation/errors";
import { withFileLock } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { never } from "#foundation/lifecycle/abort";
import type { GrantStore } from "./grants.ts";

export interface AllowlistOptions {
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
  /** `command_allowlist` as it was read at the start. */
  readonly initial: readonly string[];
  /** A grant could not be written down; it holds for this run only. */
  onProblem(message: string): void;
}

/**
 * Permanent grants, kept under `command_allowlist` in the settings. A grant counts at once, also when the
 * file cannot be written: the person has said yes, and is told that it will be asked again. The list is read
 * under a lock before it is written, so that two programs granting at the same time both keep their entry.
 */
export function allowlistStore({ home, env, initial, onProblem }: AllowlistOptions): GrantStore {
  let entries = [...initial];
  return {
    load: () => entries,
    async add(key) {
      if (!entries.includes(key)) entries = [...entries, key];
      const append = async (): Promise<void> => {
        const { config } = await loadConfig({ home, env, rememberGood: false });
        const kept = config.command_allowlist;
        if (kept.includes(key)) return;
        await changeSetting("command_allowlist", JSON.stringify([...kept, key]), { home, env });
      };
      try {
        await withFileLock(home.at("command_allowlist.lock"), append, { signal: never });
      } catch (error) {
        onProblem(`"${key}" is allowed for this run only, because it could not be saved: ${describe(error)}`);
      }
    },
  };
}
