import type { KeyPath } from "./key-path.ts";
import type { Facts, Node, ReloadScope } from "./sections/setting.ts";

/** The node at a path; undefined where no section has such a key. */
export const nodeAt = (root: Node, path: KeyPath): Node | undefined => trail(root, path)?.at(-1);

/** All nodes on the way to a path, the root first; what a key does not say itself, the nearest above it says. */
export function trail(root: Node, path: KeyPath): readonly Node[] | undefined {
  const [head, ...rest] = path;
  if (head === undefined || root.kind === "anything") return [root];
  for (const [child, further] of root.kind === "either"
    ? root.options.map((option) => [option, path] as const)
    : below(root, head, rest)) {
    const found = trail(child, further);
    if (found !== undefined) return [root, ...found];
  }
  return undefined;
}

function below(node: Node, head: string, rest: KeyPath): readonly (readonly [Node, KeyPath])[] {
  if (node.kind === "map") return [[node.value, rest]];
  if (node.kind === "list") return /^\d+$/.test(head) ? [[node.item, rest]] : [];
  const field = node.kind === "group" && Object.hasOwn(node.fields, head) ? node.fields[head] : undefined;
  return field === undefined ? [] : [[field, rest]];
}

/** What is said about a node itself. */
export const factsOf = ({ about = "" }: Node): Facts => (typeof about === "string" ? { description: about } : about);

/** When a change of the key at the end of a trail starts to count. */
export const reloadOf = (nodes: readonly Node[]): ReloadScope => nearest(nodes, "reload") ?? "next-session";

/** Why a value at the end of a trail does nothing so far; undefined for a key that some code reads. */
export function noEffectOf(nodes: readonly Node[]): string | undefined {
  const reason = nearest(nodes, "noEffect");
  return reason === false ? undefined : reason;
}

/** The heading that the key at the end of a trail stands under. */
export const categoryOf = (nodes: readonly Node[]): string => nearest(nodes, "category") ?? "General";

/** What a node says about itself, or the nearest above it. */
function nearest<K extends keyof Facts>(nodes: readonly Node[], fact: K): Facts[K] | undefined {
  const node = nodes.findLast((candidate) => factsOf(candidate)[fact] !== undefined);
  return node === undefined ? undefined : factsOf(node)[fact];
}

/** Whether a group cannot do without this key. */
export const isRequired = (node: Node): boolean =>
  node.kind !== "group" && node.optional !== true && node.initial === undefined;

/** Whether a key holds a credential, or a map of them. */
export const isSecretNode = (node: Node): boolean =>
  (node.kind === "text" && node.secret === true) || (node.kind === "map" && isSecretNode(node.value));

/** What a node accepts, in words: `whole number (1 or more)`. */
export function typeName(node: Node): string {
  return node.nullable === true ? `${plainTypeName(node)} or null` : plainTypeName(node);
}

/** The name of a type within a sentence: `a whole number`, `text`, `one of a, b`. */
export function withArticle(type: string): string {
  return /^(?:whole number|number|list|map|group)/.test(type) ? `a ${type}` : type;
}

function plainTypeName(node: Node): string {
  switch (node.kind) {
    case "group":
      return "group of keys";
    case "map":
      return `map of ${typeName(node.value)}`;
    case "list":
      return `list of ${typeName(node.item)}`;
    case "either":
      return node.options.map(typeName).join(" or ");
    case "choice":
      return `one of ${node.choices.map((item) => (item === "" ? "(empty)" : item)).join(", ")}`;
    case "number":
      return `${node.whole === true ? "whole number" : "number"}${range(node)}`;
    case "flag":
      return "true or false";
    case "text":
      return "text";
    case "anything":
      return "any value";
  }
}

function range({ min, max }: { readonly min?: number; readonly max?: number }): string {
  if (min !== undefined && max !== undefined) return ` (${min} to ${max})`;
  if (min !== undefined) return ` (${min} or more)`;
  return max === undefined ? "" : ` (${max} or less)`;
}
