import { toolProgressFromVariables } from "./migrations/03-tool-progress.ts";
import { timezoneFromVariable } from "./migrations/04-timezone.ts";
import { clearAnthropicToken } from "./migrations/08-anthropic-token.ts";
import { customProvidersToMap } from "./migrations/11-named-providers.ts";
import { clearModelVariables } from "./migrations/12-model-variables.ts";
import { speechModelPerProvider } from "./migrations/13-speech-model.ts";
import { progressPerPlatform } from "./migrations/15-progress-overrides.ts";
import { summaryModelToAuxiliary } from "./migrations/16-summary-model.ts";
import { keepInstalledPlugins } from "./migrations/20-plugin-consent.ts";
import type { Migrating, Migration } from "./migrations/migration.ts";
import type { Tree } from "./tree.ts";
import { currentConfigVersion } from "./version.ts";

/**
 * Every change of layout, oldest first. Versions that are not named only added keys, whose defaults
 * the schema knows (14 to 15 added `display.interim_assistant_messages`, for one).
 */
const migrations: readonly Migration[] = [
  toolProgressFromVariables,
  timezoneFromVariable,
  clearAnthropicToken,
  customProvidersToMap,
  clearModelVariables,
  speechModelPerProvider,
  progressPerPlatform,
  summaryModelToAuxiliary,
  keepInstalledPlugins,
];

export interface Migrated {
  readonly tree: Tree;
  readonly cleared: readonly string[];
  /** Layout the file has; undefined when it does not say. */
  readonly version: number | undefined;
  readonly isNewer: boolean;
  /** What was changed, in words, oldest change first. */
  readonly changes: readonly string[];
}

/** Brings settings of an older layout to the present one, in memory. The file is not touched. */
export function migrate(tree: Tree, facts: Pick<Migrating, "variables" | "installedPlugins">): Migrated {
  const version = versionOf(tree);
  if (version !== undefined && version > currentConfigVersion) {
    return { tree, cleared: [], version, isNewer: true, changes: [] };
  }
  let state: Migrating = { tree, cleared: [], ...facts };
  const changes: string[] = [];
  for (const migration of migrations) {
    const applies = version === undefined ? migration.alsoWithoutVersion : migration.from >= version;
    if (!applies) continue;
    const next = migration.migrate(state);
    if (next.tree !== state.tree || next.cleared.length > state.cleared.length) changes.push(migration.what);
    state = next;
  }
  return { tree: state.tree, cleared: state.cleared, version, isNewer: false, changes };
}

/** The layout a file says it has. */
export function versionOf(tree: Tree): number | undefined {
  const version = tree["_config_version"];
  return typeof version === "number" && Number.isInteger(version) && version >= 0 ? version : undefined;
}
