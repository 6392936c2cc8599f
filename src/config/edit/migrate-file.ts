import { isDeepStrictEqual } from "node:util";
import { withFileLock, writeFileAtomic } from "#foundation/files/files";
import { never } from "#foundation/lifecycle/abort";
import type { KeyPath } from "../key-path.ts";
import { installedPlugins, migrate, versionOf } from "../load/migrate.ts";
import { loadEnvironment } from "../load/variables.ts";
import { managedBy, managedError } from "../managed.ts";
import { isPlainRecord, type Tree } from "../tree.ts";
import { currentConfigVersion } from "../version.ts";
import { type EditOptions, type EditResult, save } from "./edit.ts";
import { removeSecrets } from "./secrets.ts";
import type { SettingChange } from "./yaml-splice.ts";

export interface MigrationResult extends EditResult {
  readonly from: number | undefined;
  readonly changes: readonly string[];
  /** Copy of the file as it was; undefined when nothing had to change. */
  readonly backup: string | undefined;
}

/**
 * `config migrate`: brings the file itself to the present layout, key by key, so that comments and order stay.
 * The file as it was is kept beside it. Variables that have no effect any more leave `.env`.
 */
export async function migrateFile(options: EditOptions): Promise<MigrationResult> {
  const { home, env } = options;
  const manager = managedBy(home, env);
  if (manager !== undefined) throw managedError(manager, home.config);
  const { variables } = await loadEnvironment({ home, env });
  const work = async (): Promise<MigrationResult & { readonly cleared: readonly string[] }> => {
    let outcome: Omit<MigrationResult, keyof EditResult> & { cleared: readonly string[] } = {
      from: undefined,
      changes: [],
      backup: undefined,
      cleared: [],
    };
    const edited = await save(home, async (text, tree) => {
      const migrated = migrate(tree, { variables, installedPlugins: installedPlugins(home) });
      const isCurrent = text.trim() === "" || versionOf(tree) === currentConfigVersion;
      if (isCurrent) return text;
      const backup = home.at(`config.yaml.v${migrated.version ?? 0}.bak`);
      await writeFileAtomic(backup, text, { mode: 0o600 });
      outcome = { from: migrated.version, changes: migrated.changes, backup, cleared: migrated.cleared };
      const { applyChanges } = await import("./yaml-edit.ts");
      const wanted = { ...migrated.tree, _config_version: currentConfigVersion };
      return applyChanges(text, differences(tree, wanted, []));
    });
    return { ...edited, ...outcome };
  };
  const { cleared, ...result } = await withFileLock(home.configLock, work, { signal: options.signal ?? never });
  if (cleared.length > 0) await removeSecrets(cleared, options);
  return result;
}

/** The single changes that lead from one tree to another, additions before removals. */
function differences(before: Tree, after: Tree, path: KeyPath): readonly SettingChange[] {
  const changed = Object.entries(after).flatMap(([key, value]): readonly SettingChange[] => {
    const location = [...path, key];
    const old = before[key];
    if (isDeepStrictEqual(old, value)) return [];
    if (isPlainRecord(old) && isPlainRecord(value)) return differences(old, value, location);
    return [{ kind: "set", path: location, value }];
  });
  const removed = Object.keys(before)
    .filter((key) => !Object.hasOwn(after, key))
    .map((key): SettingChange => ({ kind: "unset", path: [...path, key] }));
  return [...changed, ...removed];
}
