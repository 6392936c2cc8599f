import type { SettingInfo } from "./settings.ts";
import type { Tree } from "./tree.ts";

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
