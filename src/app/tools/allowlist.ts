import { changeSetting, loadConfig } from "#config";
import { never } from "#foundation/abort";
import { withFileLock } from "#foundation/files";
import type { HermesHome } from "#foundation/paths";
import type { GrantStore } from "#tools";

export interface AllowlistOptions {
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
  /** `command_allowlist` as it was read at the start. */
  readonly initial: readonly string[];
}

/**
 * Permanent grants, kept under `command_allowlist` in the settings. A grant counts at once, also when the
 * file cannot be written; the error then reaches whoever granted it. The list is read again under a lock
 * before it is written, so that two programs granting at the same time both keep their entry.
 */
export function allowlistStore({ home, env, initial }: AllowlistOptions): GrantStore {
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
      await withFileLock(home.at("command_allowlist.lock"), append, { signal: never });
    },
  };
}
