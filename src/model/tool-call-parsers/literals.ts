import type { ToolDefinition } from "#conversation";
import { decodeExact, type ExactJson, ExactNumber } from "#foundation/text/exact-json";
import { isRecord } from "#foundation/text/json";
import { decodePythonLiteral } from "./python-literal.ts";

/** The declared type of one parameter, where the tools are known and name one. */
export function declaredType(
  tools: readonly ToolDefinition[] | undefined,
  tool: string,
  parameter: string,
): string | undefined {
  const properties = tools?.find((one) => one.name === tool)?.parameters["properties"];
  const schema = isRecord(properties) ? properties[parameter] : undefined;
  const type = isRecord(schema) ? schema["type"] : undefined;
  return typeof type === "string" ? type : undefined;
}

/**
 * What an untyped value means: JSON, else a plain Python literal, else the text itself. A declared
 * type decides where there is one; a value that does not fit it stays text.
 */
export function readLiteral(raw: string, type: string | undefined): ExactJson {
  if (type === "string") return raw;
  const text = raw.trim();
  const decoded = decodeExact(text);
  const value = decoded === undefined ? decodePythonLiteral(text) : decoded.value;
  if (value === undefined) return type === undefined ? text : raw;
  return type === undefined || isOfType(value, type) ? value : raw;
}

function isOfType(value: ExactJson, type: string): boolean {
  switch (type) {
    case "number":
      return value instanceof ExactNumber;
    case "integer":
      return value instanceof ExactNumber && Number.isInteger(Number(value.text));
    case "boolean":
      return typeof value === "boolean";
    case "object":
      return value instanceof Map;
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    default:
      return true;
  }
}
