import type { JsonSchema } from "#conversation";
import { isRecord } from "#foundation/text/json";
import { coerceValue, typesOf } from "./coerce.ts";

/** What a value of this JSON Schema is in TypeScript; for the part of JSON Schema that tools use. */
export type ValueOf<S> = S extends { readonly enum: readonly (infer One)[] }
  ? One
  : S extends { readonly type: readonly (infer T)[] }
    ? OfType<T, S>
    : S extends { readonly type: infer T }
      ? OfType<T, S>
      : unknown;

type OfType<T, S> = T extends "string"
  ? string
  : T extends "integer" | "number"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "array"
        ? S extends { readonly items: infer Items }
          ? readonly ValueOf<Items>[]
          : readonly unknown[]
        : T extends "object"
          ? ArgumentsOf<S>
          : unknown;

/** The arguments a schema of type `object` describes. */
export type ArgumentsOf<S> = S extends { readonly properties: infer P }
  ? { readonly [K in keyof P & RequiredIn<S>]: ValueOf<P[K]> } & {
      readonly [K in Exclude<keyof P, RequiredIn<S>>]?: ValueOf<P[K]> | undefined;
    }
  : Readonly<Record<string, unknown>>;

type RequiredIn<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

export type ReadArguments =
  | { readonly kind: "ok"; readonly args: Readonly<Record<string, unknown>> }
  /** What is wrong, for the model: `limit must be a number, not "many"`. */
  | { readonly kind: "wrong"; readonly reason: string };

/**
 * Arguments as the schema describes them. What has one obvious reading is read so (`"10"` as a number), null for an
 * argument that need not be there counts as absent, and anything else that disagrees is refused. Limits of
 * size are left to the tool, which rather bounds a number than refuses it.
 */
export function readTyped(args: Readonly<Record<string, unknown>>, schema: JsonSchema): ReadArguments {
  try {
    return { kind: "ok", args: readObject(args, schema, "") };
  } catch (error) {
    if (error instanceof WrongArgument) return { kind: "wrong", reason: error.message };
    throw error;
  }
}

class WrongArgument extends Error {}

function readObject(value: Readonly<Record<string, unknown>>, schema: JsonSchema, at: string): Record<string, unknown> {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const read: Record<string, unknown> = { ...value };
  for (const [name, of] of Object.entries(properties)) {
    const where = at === "" ? name : `${at}.${name}`;
    if (read[name] === undefined || read[name] === null) {
      if (required.includes(name)) throw new WrongArgument(`${where} is missing`);
      delete read[name];
    } else if (isRecord(of)) {
      read[name] = readValue(read[name], of, where);
    }
  }
  return read;
}

function readValue(value: unknown, schema: JsonSchema, at: string): unknown {
  const read = coerceValue(value, schema);
  const types = typesOf(schema);
  const fits = types.length === 0 || types.some((type) => isOfType(read, type));
  if (!fits) throw new WrongArgument(`${at} must be ${types.map(nameOf).join(" or ")}, not ${shown(value)}`);
  const choices = schema["enum"];
  if (Array.isArray(choices) && !choices.includes(read))
    throw new WrongArgument(`${at} must be one of ${choices.map(String).join(", ")}, not ${shown(value)}`);
  if (Array.isArray(read)) {
    const { items } = schema;
    return isRecord(items) ? read.map((one, index) => readValue(one, items, `${at}[${index}]`)) : read;
  }
  if (isRecord(read)) return readObject(read, schema, at);
  return typeof read === "number" && types.length === 1 && types[0] === "integer" ? Math.trunc(read) : read;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

function nameOf(type: string): string {
  switch (type) {
    case "array":
      return "a list";
    case "object":
      return "an object";
    case "integer":
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "null":
      return "null";
    default:
      return `a ${type}`;
  }
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return "an object";
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
