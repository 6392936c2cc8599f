import { Secret } from "#foundation/secrets/secret";
import type { Shape } from "./shape.ts";
import { isPlainRecord, type Tree } from "./tree.ts";

const secretName = /(?:^|_)(?:api_?key|token|secret|password|passwd|credential|authorization|private_key|access_key)$/i;

/** Whether a key of a free-form map holds a credential, by how it is called. */
function looksSecret(key: string): boolean {
  return secretName.test(key.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_"));
}

/** Wraps credentials: those the schema names and, in free-form parts, those that are called like one. */
export function sealSecrets<T>(value: T, shape: Shape): T {
  // The shape describes T, so what is rebuilt part by part is a T again.
  return sealed(value, shape) as T;
}

/** Wraps one credential. */
export function sealText(value: string): Secret {
  return new Secret(value);
}

/** Wraps every string below a key that looks like a credential. */
export function sealByName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sealByName);
  return isPlainRecord(value) ? sealEntries(value) : value;
}

/** The same for each map of a list. */
export function sealEach(records: readonly Tree[]): Tree[] {
  return records.map(sealEntries);
}

/** The same for the entries of a map. */
export function sealEntries(record: Tree): Tree {
  return mapEntries(record, (child, key) =>
    looksSecret(key) && typeof child === "string" ? new Secret(child) : sealByName(child),
  );
}

function sealed(value: unknown, shape: Shape): unknown {
  switch (shape.kind) {
    case "anything":
      return sealByName(value);
    case "object":
      return isPlainRecord(value) ? mapEntries(value, (child, key) => sealField(child, shape.fields.get(key))) : value;
    case "map":
      return isPlainRecord(value) ? sealMap(value, shape.value) : value;
    case "list":
      return Array.isArray(value) ? value.map((item) => sealed(item, shape.item)) : value;
    case "scalar":
      return shape.facts.isSecret && typeof value === "string" ? new Secret(value) : value;
    case "union":
    case "choice":
      return value;
  }
}

const sealField = (value: unknown, shape: Shape | undefined): unknown =>
  shape === undefined ? sealByName(value) : sealed(value, shape);

/** In a map of anything the names are free as well: `extra: {bot_token: …}`. */
function sealMap(value: Tree, shape: Shape): Tree {
  return shape.kind === "anything" ? sealEntries(value) : mapEntries(value, (child) => sealed(child, shape));
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
