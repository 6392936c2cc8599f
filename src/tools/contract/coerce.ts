import type { JsonSchema } from "#conversation";
import { isRecord, parseJson } from "#foundation/text/json";

/**
 * Gentle correction of argument types: models write `"10"` where the schema says integer. Only a
 * value whose declared type disagrees is touched, and only when there is one obvious reading;
 * otherwise it stays as it is and the tool says what is wrong with it.
 */
export function coerceArguments(
  args: Readonly<Record<string, unknown>>,
  parameters: JsonSchema,
): Readonly<Record<string, unknown>> {
  const properties = parameters["properties"];
  if (!isRecord(properties)) return args;
  let changed = false;
  const coerced = Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const schema = properties[name];
      const next = isRecord(schema) ? coerceValue(value, schema) : value;
      changed ||= next !== value;
      return [name, next];
    }),
  );
  return changed ? coerced : args;
}

/** A value as its schema says, where there is one obvious reading. */
export function coerceValue(value: unknown, schema: JsonSchema): unknown {
  const types = typesOf(schema);
  if (typeof value === "number" || typeof value === "boolean") {
    return types.length === 1 && types[0] === "string" ? String(value) : value;
  }
  if (typeof value !== "string" || types.length === 0) return value;
  if (types.includes("string") && /^\s*-?0\d/.test(value)) return value;
  for (const type of types) {
    const read = readAs(value, type);
    if (read !== undefined) return read;
  }
  if (types.length === 1 && types[0] === "array" && isListOfStrings(schema) && !looksLikeJson(value)) return [value];
  return value;
}

export function typesOf(schema: JsonSchema): readonly string[] {
  const type = schema["type"];
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === "string") : [];
}

/** The value a string stands for, or undefined when it does not stand for one of this type. */
function readAs(text: string, type: string): unknown {
  const trimmed = text.trim();
  switch (type) {
    case "integer": {
      const number = decimal(trimmed);
      return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
    }
    case "number":
      return decimal(trimmed);
    case "boolean": {
      const word = trimmed.toLowerCase();
      return word === "true" ? true : word === "false" ? false : undefined;
    }
    case "array": {
      const parsed = parseJson(trimmed);
      return parsed.ok && Array.isArray(parsed.value) ? parsed.value : undefined;
    }
    case "object": {
      const parsed = parseJson(trimmed);
      return parsed.ok && isRecord(parsed.value) ? parsed.value : undefined;
    }
    default:
      return undefined;
  }
}

function decimal(text: string): number | undefined {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

function isListOfStrings(schema: JsonSchema): boolean {
  const items = schema["items"];
  return isRecord(items) && items["type"] === "string";
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}
