import type { JsonSchema } from "#conversation";
import { isRecord } from "#foundation/text/json";

const allowed = new Set(
  "type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum".split(
    " ",
  ),
);
const maxDepth = 64;

/**
 * The part of JSON Schema that Gemini reads. References are put in place, alternatives become `anyOf`, a
 * null type becomes `nullable`, and enums of numbers or booleans, which it refuses, are dropped.
 */
export function geminiSchema(schema: JsonSchema): JsonSchema {
  const definitions = { ...objectOf(schema["definitions"]), ...objectOf(schema["$defs"]) };
  return reduce(schema, { definitions, depth: 0, open: [] });
}

interface Location {
  readonly definitions: Readonly<Record<string, unknown>>;
  readonly depth: number;
  /** References being put in place; one that meets itself ends there. */
  readonly open: readonly string[];
}

function reduce(schema: JsonSchema, location: Location): JsonSchema {
  if (location.depth > maxDepth) return { type: "object" };
  const deeper = { ...location, depth: location.depth + 1 };
  const reference = schema["$ref"];
  if (typeof reference === "string") return resolve(reference, schema, deeper);
  const merged = mergeAll(schema);
  const output: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(merged)) {
    if (!allowed.has(key)) continue;
    if (key === "properties") output[key] = reduceProperties(value, deeper);
    else if (key === "items") output[key] = reduceItems(value, deeper);
    else if (key === "anyOf") output[key] = listOf(value).map((one) => reduce(objectOf(one), deeper));
    else output[key] = value;
  }
  if ("const" in merged && !("enum" in output)) output["enum"] = [merged["const"]];
  return settleEnum(settleRequired(settleType(output)));
}

function resolve(reference: string, schema: JsonSchema, location: Location): JsonSchema {
  const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(reference)?.[1];
  const found = name === undefined ? undefined : location.definitions[name];
  if (name === undefined || !isRecord(found) || location.open.includes(name)) return { type: "object" };
  const { $ref: _reference, ...beside } = schema;
  return reduce({ ...found, ...beside }, { ...location, open: [...location.open, name] });
}

/** `allOf` is laid over its parent; `oneOf` is read as `anyOf`. */
function mergeAll(schema: JsonSchema): JsonSchema {
  const { allOf, oneOf, ...rest } = schema;
  let merged: Record<string, unknown> = { ...rest };
  for (const one of listOf(allOf).filter(isRecord)) {
    const properties = { ...objectOf(one["properties"]), ...objectOf(merged["properties"]) };
    const required = [...listOf(one["required"]), ...listOf(merged["required"])];
    merged = {
      ...one,
      ...merged,
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    };
  }
  if (Array.isArray(oneOf) && !Array.isArray(merged["anyOf"])) merged["anyOf"] = oneOf;
  return merged;
}

function reduceProperties(value: unknown, location: Location): JsonSchema {
  return Object.fromEntries(
    Object.entries(objectOf(value)).map(([name, one]) => [name, reduce(objectOf(one), location)]),
  );
}

function reduceItems(value: unknown, location: Location): JsonSchema {
  const one = Array.isArray(value) ? value[0] : value;
  return reduce(objectOf(one), location);
}

function settleType(node: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(node["type"])) return node;
  const types = node["type"].filter((one): one is string => typeof one === "string");
  const named = types.filter((one) => one !== "null");
  const { type: _types, ...rest } = node;
  const nullable = types.includes("null") ? { nullable: true } : {};
  if (named.length <= 1) return { ...rest, type: named[0] ?? "string", ...nullable };
  return { ...rest, anyOf: named.map((type) => ({ type })), ...nullable };
}

/** Only properties that exist may be required. */
function settleRequired(node: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(node["required"])) return node;
  const known = objectOf(node["properties"]);
  const required = node["required"].filter((name) => typeof name === "string" && Object.hasOwn(known, name));
  const { required: _all, ...rest } = node;
  return required.length === 0 ? rest : { ...rest, required };
}

function settleEnum(node: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(node["enum"])) return node;
  const isTextual = node["enum"].every((value) => typeof value === "string");
  if (isTextual) return node["type"] === undefined ? { ...node, type: "string" } : node;
  const { enum: _values, ...rest } = node;
  return rest;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
