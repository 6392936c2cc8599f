import type { HermesHome } from "#foundation/files/paths";
import { parseJson } from "#foundation/text/json";
import { coerceTree } from "./coerce.ts";
import type { Layer } from "./layer.ts";
import { foldPlatformExtras } from "./platform-extras.ts";
import type { Shape } from "./shape.ts";
import { decodeUtf8, readBytes } from "./source.ts";
import { isPlainRecord, type Tree } from "./tree.ts";

/** Names that differ between the old file and the present settings. */
const names: Readonly<Record<string, string>> = { default_reset_policy: "session_reset" };

/** The gateway once had a file of its own, `gateway.json`. What it says still counts, below `config.yaml`. */
export function legacyGatewayLayer(home: HermesHome, shape: Shape): readonly Layer[] {
  const file = home.at("gateway.json");
  const bytes = readBytes(file);
  const text = bytes === undefined ? undefined : decodeUtf8(bytes);
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !isPlainRecord(parsed.value)) return [];
  const renamed: Tree = Object.fromEntries(
    Object.entries(parsed.value).map(([key, value]) => [Object.hasOwn(names, key) ? (names[key] ?? key) : key, value]),
  );
  const { tree } = foldPlatformExtras({ tree: renamed, moves: new Map(), renamed: [] }, shape);
  return [{ tree: coerceTree(tree, shape).tree, sourceOf: () => ({ kind: "legacy-file", file }) }];
}
