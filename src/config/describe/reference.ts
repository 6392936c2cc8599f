import type { Config } from "../config.ts";
import { formatKeyPath, type KeyPath } from "../key-path.ts";
import type { LoadedConfig } from "../load/load.ts";
import type { Node } from "../sections/setting.ts";
import { isPlainRecord } from "../tree.ts";
import type { SettingInfo } from "./settings.ts";

/** Every setting with type, default, description, category and reload scope; for pages, completion and forms. */
export async function describeSettings(): Promise<readonly SettingInfo[]> {
  const { listSettings } = await import("./settings.ts");
  return listSettings();
}

/** Why a value of this key does nothing so far, as a sentence; undefined where it does something. */
export async function noEffectOf(path: KeyPath): Promise<string | undefined> {
  const [lookup, { configRoot }] = await Promise.all([import("../lookup.ts"), import("../sections/root.ts")]);
  return lookup.noEffectOf(lookup.trail(configRoot, path) ?? []);
}

/** A key somebody has set that does nothing so far. */
interface IdleSetting {
  readonly key: string;
  readonly reason: string;
}

/** What somebody has written that does nothing so far. */
export async function idleSettings(loaded: LoadedConfig): Promise<readonly IdleSetting[]> {
  const [lookup, { configRoot }] = await Promise.all([import("../lookup.ts"), import("../sections/root.ts")]);
  const look = (nodes: readonly Node[], path: KeyPath, value: unknown): readonly IdleSetting[] => {
    const node = nodes.at(-1);
    if (node === undefined || (path.length > 0 && !isWritten(loaded, path))) return [];
    const isGroup = node.kind === "group" || (node.kind === "map" && node.value.kind === "group");
    if (!isGroup || !isPlainRecord(value)) {
      const reason = lookup.noEffectOf(nodes);
      return reason === undefined ? [] : [{ key: formatKeyPath(path), reason }];
    }
    return Object.entries(value).flatMap(([name, child]) => {
      const inner = node.kind === "map" ? node.value : node.fields[name];
      return inner === undefined ? [] : look([...nodes, inner], [...path, name], child);
    });
  };
  return look([configRoot], [], loaded.config);
}

/** In a file: variables and options are given for many programs and single runs. */
const isWritten = (loaded: LoadedConfig, path: KeyPath): boolean =>
  loaded.locations(formatKeyPath(path)).some(({ source }) => source.kind === "file" || source.kind === "legacy-file");

/** The format of `config.yaml` as JSON Schema. */
export async function configJsonSchema(): Promise<Readonly<Record<string, unknown>>> {
  const { configSchema } = await import("./json-schema.ts");
  return configSchema();
}

/** The settings as they are when nothing is set. */
export async function defaultConfig(): Promise<Config> {
  const [{ defaultSettings }, { deepFreeze }] = await Promise.all([
    import("../load/assemble.ts"),
    import("../tree.ts"),
  ]);
  return deepFreeze(defaultSettings());
}
