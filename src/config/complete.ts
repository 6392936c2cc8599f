import { Secret } from "#foundation/secrets/secret";
import type { Node } from "./sections/setting.ts";
import { isPlainRecord, type Tree } from "./tree.ts";

/** Values that were read, with initial values for all that is not set and credentials wrapped. */
export function complete(value: unknown, node: Node): unknown {
  if (value !== undefined) return finished(value, node, complete);
  if (node.optional === true) return undefined;
  // Each load has its own copy, because what it gives away is frozen.
  return finished(node.kind === "group" ? {} : node.initial, node, complete);
}

/** Values that were read, with credentials wrapped and nothing added. */
export function seal(value: unknown, node: Node): unknown {
  return value === undefined ? undefined : finished(value, node, seal);
}

type Finish = (value: unknown, node: Node) => unknown;

function finished(value: unknown, node: Node, finish: Finish): unknown {
  switch (node.kind) {
    case "group":
      return isPlainRecord(value) ? fieldsOf(value, node.fields, finish) : value;
    case "map":
      if (!isPlainRecord(value)) return value;
      return node.value.kind === "anything"
        ? sealEntries(value)
        : mapEntries(value, (child) => finish(child, node.value));
    case "list":
      return Array.isArray(value) ? value.map((item) => finish(item, node.item)) : value;
    case "either": {
      const inner = node.options.find((option) => isPlainRecord(value) === (option.kind === "group"));
      return inner === undefined ? value : finish(value, inner);
    }
    case "text":
      return node.secret === true && typeof value === "string" ? new Secret(value) : value;
    case "anything":
      return sealByName(value);
    default:
      return value;
  }
}

function fieldsOf(value: Tree, fields: Readonly<Record<string, Node>>, finish: Finish): Tree {
  const result: Tree = {};
  // `in` makes no objects of its own, and this runs once for every key there is.
  for (const key in fields) {
    const field = fields[key];
    const child = field === undefined ? undefined : finish(Object.hasOwn(value, key) ? value[key] : undefined, field);
    if (child !== undefined) result[key] = child;
  }
  return result;
}

const secretName = /(?:^|_)(?:api_?key|token|secret|password|passwd|credential|authorization|private_key|access_key)$/i;

/** Whether a key of a free-form map holds a credential, by how it is called. */
const looksSecret = (key: string): boolean =>
  secretName.test(key.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_"));

/** Wraps every string below a key that looks like a credential. */
export function sealByName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sealByName);
  return isPlainRecord(value) ? sealEntries(value) : value;
}

function sealEntries(record: Tree): Tree {
  return mapEntries(record, (child, key) =>
    looksSecret(key) && typeof child === "string" ? new Secret(child) : sealByName(child),
  );
}

function mapEntries(record: Tree, change: (value: unknown, key: string) => unknown): Tree {
  return Object.fromEntries(Object.entries(record).map(([key, child]) => [key, change(child, key)]));
}

/** Every credential in the settings, for the redactor. */
export function collectSecrets(value: unknown): readonly Secret[] {
  if (value instanceof Secret) return value.isEmpty ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(collectSecrets);
  return isPlainRecord(value) ? Object.values(value).flatMap(collectSecrets) : [];
}
