import { Secret } from "#foundation/secret";
import type { Shape } from "./shape.ts";
import { isPlainRecord } from "./tree.ts";

const secretName = /(?:^|_)(?:api_?key|token|secret|password|passwd|credential|authorization|private_key|access_key)$/i;

/** Whether a key of a free-form map holds a credential, by how it is called. */
export function looksSecret(key: string): boolean {
  return secretName.test(key.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_"));
}

/** Wraps credentials: those the schema names and, in free-form parts, those that are called like one. */
export function sealSecrets<T>(value: T, shape: Shape): T {
  // The shape describes T, so what is rebuilt part by part is a T again.
  return sealed(value, shape) as T;
}

/** Wraps every string below a key that looks like a credential. */
export function sealByName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sealByName);
  if (!isPlainRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      looksSecret(key) && typeof child === "string" ? new Secret(child) : sealByName(child),
    ]),
  );
}

function sealed(value: unknown, shape: Shape): unknown {
  switch (shape.kind) {
    case "anything":
      return sealByName(value);
    case "object":
      return isPlainRecord(value) ? mapEntries(value, (child, key) => sealField(child, shape.fields.get(key))) : value;
    case "map":
      return isPlainRecord(value) ? sealEntries(value, shape.value) : value;
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
function sealEntries(value: Record<string, unknown>, shape: Shape): unknown {
  return shape.kind === "anything" ? sealByName(value) : mapEntries(value, (child) => sealed(child, shape));
}

function mapEntries(record: Record<string, unknown>, change: (value: unknown, key: string) => unknown): unknown {
  return Object.fromEntries(Object.entries(record).map(([key, child]) => [key, change(child, key)]));
}
