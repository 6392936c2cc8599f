import { complete } from "../complete.ts";
import { formatKeyPath, type KeyPath } from "../key-path.ts";
import { categoryOf, factsOf, isSecretNode, noEffectOf, reloadOf, typeName } from "../lookup.ts";
import { configRoot } from "../sections/root.ts";
import type { Node, ReloadScope } from "../sections/setting.ts";
import { valueAt } from "../tree.ts";

/** One documented key. `<name>` stands for a name the person chooses, `[]` for any position of a list. */
export interface SettingInfo {
  readonly key: string;
  readonly type: string;
  readonly choices: readonly string[];
  readonly defaultValue: unknown;
  readonly description: string;
  readonly category: string;
  readonly reload: ReloadScope;
  readonly isSecret: boolean;
  /** Why a value does nothing so far, as a sentence. */
  readonly noEffect: string | undefined;
}

/** Every key, in the order of the sections; sections themselves are not listed. */
export function listSettings(): readonly SettingInfo[] {
  const defaults = complete({}, configRoot);
  return [...leaves([configRoot], [])].map(({ nodes, path }) => infoOf(nodes, path, valueAt(defaults, path)));
}

interface Leaf {
  /** The key's own node and those around it, the root first. */
  readonly nodes: readonly [...Node[], Node];
  readonly path: KeyPath;
}

function* leaves(nodes: Leaf["nodes"], path: KeyPath): Generator<Leaf> {
  const node = last(nodes);
  if (node.kind === "group") {
    for (const [key, field] of Object.entries(node.fields)) yield* leaves([...nodes, field], [...path, key]);
  } else if (node.kind === "map" && holdsKeys(node.value)) {
    yield* leaves([...nodes, node.value], [...path, "<name>"]);
  } else if (node.kind === "list" && holdsKeys(node.item)) {
    yield* leaves([...nodes, node.item], [...path, "[]"]);
  } else yield { nodes, path };
}

const last = (nodes: Leaf["nodes"]): Node => nodes[nodes.length - 1] as Node;

const holdsKeys = (node: Node): boolean => node.kind === "group" || (node.kind === "map" && holdsKeys(node.value));

function infoOf(nodes: Leaf["nodes"], path: KeyPath, defaultValue: unknown): SettingInfo {
  const node = last(nodes);
  const isSecret = isSecretNode(node);
  return {
    key: writtenKey(path),
    type: typeName(node),
    choices: node.kind === "choice" ? node.choices : [],
    defaultValue: isSecret ? undefined : defaultValue,
    description: factsOf(node).description,
    category: categoryOf(nodes),
    reload: reloadOf(nodes),
    isSecret,
    noEffect: noEffectOf(nodes),
  };
}

function writtenKey(path: KeyPath): string {
  return path
    .map((segment) => (segment === "<name>" || segment === "[]" ? segment : formatKeyPath([segment])))
    .join(".")
    .replaceAll(".[]", "[]");
}
