import type { KeyPath } from "../key-path.ts";
import type { LoadedConfig } from "../load/load.ts";
import type { Tree } from "../tree.ts";
import { type EditOptions, editConfig } from "./edit.ts";

export interface ExportedSettings {
  /** What the file sets, as it would be written there. */
  readonly settings: Tree;
  /** Keys that were left out because they hold a credential. */
  readonly withheld: readonly string[];
}

/** One key that another value is for. */
export interface SettingDifference {
  readonly key: string;
  readonly path: KeyPath;
  readonly before: unknown;
  readonly after: unknown;
}

export interface SettingsImport {
  readonly changes: readonly SettingDifference[];
  /** Keys that stay as they are because they hold a credential. */
  readonly withheld: readonly string[];
}

/** The settings of the file, to be read into another home. Credentials stay where they are. */
export async function exportSettings(loaded: LoadedConfig): Promise<ExportedSettings> {
  return (await import("./exchange-trees.ts")).exported(loaded);
}

/** What other settings would change here. They are refused as a whole where one key or one value is none. */
export async function compareSettings(written: unknown, loaded: LoadedConfig): Promise<SettingsImport> {
  return (await import("./exchange-trees.ts")).compared(written, loaded);
}

/** Takes other settings over, all of them or none; keys they do not name stay as they are. */
export async function importSettings(
  written: unknown,
  loaded: LoadedConfig,
  options: EditOptions,
): Promise<SettingsImport> {
  const found = await compareSettings(written, loaded);
  if (found.changes.length > 0)
    await editConfig(
      found.changes.map(({ path, after }) => ({ kind: "set", path, value: after })),
      options,
    );
  return found;
}
