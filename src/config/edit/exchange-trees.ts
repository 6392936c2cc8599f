import { isDeepStrictEqual } from "node:util";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { collectSecrets, seal } from "../complete.ts";
import { masked } from "../describe/explain.ts";
import { readTree } from "../interpreter.ts";
import { formatKeyPath, type KeyPath } from "../key-path.ts";
import type { LoadedConfig } from "../load/load.ts";
import { normalise } from "../load/normalise.ts";
import { typeName, withArticle } from "../lookup.ts";
import { configRoot } from "../sections/root.ts";
import type { Node } from "../sections/setting.ts";
import { isPlainRecord, type Tree, valueAt, withValue } from "../tree.ts";
import type { ExportedSettings, SettingDifference, SettingsImport } from "./exchange.ts";

/** The settings of the file, to be read into another home. Credentials stay. */
export function exported(loaded: LoadedConfig): ExportedSettings {
  let settings: Tree = {};
  const withheld: string[] = [];
  for (const { path, value } of leaves(loaded.config, configRoot, [])) {
    const key = formatKeyPath(path);
    if (path[0] === versionKey || loaded.provenance(key).kind !== "file") continue;
    if (collectSecrets(value).length > 0) withheld.push(key);
    else if (!(value instanceof Secret)) settings = withValue(settings, path, masked(value));
  }
  return { settings, withheld };
}

/** What other settings would change here. Refuses them as a whole where a key or a value is none. */
export function compared(written: unknown, loaded: LoadedConfig): SettingsImport {
  if (!isPlainRecord(written))
    throw new UserError("This is not a file of settings: it has to hold one JSON object.", { code: "bad_request" });
  const { [versionKey]: _version, ...own } = written;
  const { tree: wanted } = normalise(own);
  const { tree, bad, unknown } = readTree(wanted, configRoot);
  const [strange] = unknown;
  if (strange !== undefined)
    throw new UserError(`There is no setting ${formatKeyPath(strange.path)}.`, { code: "config_key_unknown" });
  const [wrong] = bad;
  if (wrong !== undefined)
    throw new UserError(
      `${formatKeyPath(wrong.path)} takes ${withArticle(typeName(wrong.expected))}, not ${JSON.stringify(wrong.value)}.`,
      { code: "config_type_error" },
    );
  const withheld: string[] = [];
  const changes: SettingDifference[] = [];
  for (const { path, value } of leaves(seal(tree, configRoot), configRoot, [])) {
    const key = formatKeyPath(path);
    const before = masked(valueAt(loaded.config, path));
    const after = masked(value);
    if (collectSecrets(value).length > 0) withheld.push(key);
    else if (!(value instanceof Secret) && !isDeepStrictEqual(before, after))
      changes.push({ key, path, before, after });
  }
  return { changes, withheld };
}

const versionKey = "_config_version";

interface Leaf {
  readonly path: KeyPath;
  readonly value: unknown;
}

/** Values that are written as a whole: those of groups and of maps of groups key by key, lists at once. */
function* leaves(value: unknown, node: Node, path: KeyPath): Generator<Leaf> {
  const isBranch = node.kind === "group" || (node.kind === "map" && node.value.kind === "group");
  if (!isBranch || !isPlainRecord(value)) {
    if (value !== undefined) yield { path, value };
    return;
  }
  for (const [name, child] of Object.entries(value)) {
    const below = node.kind === "group" ? node.fields[name] : node.kind === "map" ? node.value : undefined;
    if (below !== undefined) yield* leaves(child, below, [...path, name]);
  }
}
