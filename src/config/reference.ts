import { formatKeyPath, type KeyPath } from "./key-path.ts";
import type { LoadedConfig } from "./load.ts";
import type { SettingInfo } from "./settings.ts";
import type { DescribedShape } from "./shape.ts";
import { isPlainRecord, type Tree } from "./tree.ts";

/** Every setting with type, default, description, category and reload scope; for pages, completion and forms. */
export async function describeSettings(): Promise<readonly SettingInfo[]> {
  const [{ configSchema }, { shapeOf }, { listSettings }] = await Promise.all([
    import("./schema.ts"),
    import("./shape.ts"),
    import("./settings.ts"),
  ]);
  const defaults: Tree = configSchema.parse({}, { jitless: true });
  return listSettings(shapeOf(configSchema), defaults);
}

/** Every key with its description and nothing else, without building the schema. */
export async function settingKeys(): Promise<readonly { readonly key: string; readonly description: string }[]> {
  const { keysText } = await import("./table/keys.generated.ts");
  const descriptions: Readonly<Record<string, string>> = JSON.parse(keysText);
  return Object.entries(descriptions).map(([key, description]) => ({ key, description }));
}

/** Why a value of this key does nothing so far, as a sentence; undefined where it does something. */
export async function noEffectOf(path: KeyPath): Promise<string | undefined> {
  const [shape, { shapeAt }] = await Promise.all([describedShape(), import("./shape.ts")]);
  return shapeAt(shape, path)?.facts.noEffect;
}

/** A key somebody has set that does nothing so far. */
export interface IdleSetting {
  readonly key: string;
  readonly reason: string;
}

/** What somebody has written that does nothing so far. */
export async function idleSettings(loaded: LoadedConfig): Promise<readonly IdleSetting[]> {
  const look = (shape: DescribedShape, path: KeyPath, value: unknown): readonly IdleSetting[] => {
    if (path.length > 0 && !isWritten(loaded, path)) return [];
    const isGroup = shape.kind === "object" || (shape.kind === "map" && shape.value.kind === "object");
    if (!isGroup || !isPlainRecord(value)) {
      const reason = shape.facts.noEffect;
      return reason === undefined ? [] : [{ key: formatKeyPath(path), reason }];
    }
    return Object.entries(value).flatMap(([name, child]) => {
      const inner = shape.kind === "map" ? shape.value : shape.fields.get(name);
      return inner === undefined ? [] : look(inner, [...path, name], child);
    });
  };
  return look(await describedShape(), [], loaded.config);
}

/** In a file: variables and options are given for many programs and single runs. */
const isWritten = (loaded: LoadedConfig, path: KeyPath): boolean =>
  loaded.places(formatKeyPath(path)).some(({ source }) => source.kind === "file" || source.kind === "legacy-file");

async function describedShape(): Promise<DescribedShape> {
  const [{ configSchema }, { shapeOf }] = await Promise.all([import("./schema.ts"), import("./shape.ts")]);
  return shapeOf(configSchema);
}

/** The format of `config.yaml` as JSON Schema. */
export async function configJsonSchema(): Promise<Readonly<Record<string, unknown>>> {
  const schema = await import("./schema.ts");
  return schema.configJsonSchema();
}

/** The settings as they are when nothing is set. */
export async function defaultConfig(): Promise<import("./config.ts").Config> {
  const [{ defaultSettings }, { deepFreeze }] = await Promise.all([
    import("./table/plain-settings.ts"),
    import("./tree.ts"),
  ]);
  return deepFreeze(defaultSettings());
}
