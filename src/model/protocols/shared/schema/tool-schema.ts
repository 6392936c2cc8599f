import type { JsonSchema, ToolDefinition } from "#conversation";
import { isRecord } from "#foundation/text/json";
import type { TargetQuirks } from "../../../target.ts";
import { WireMemo } from "../../wire-memo.ts";
import { geminiSchema } from "./gemini-schema.ts";
import { mapSchema } from "./map-schema.ts";
import { moonshotSchema } from "./moonshot-schema.ts";

/** Tools as one endpoint reads them: names once, schemas in its dialect. The input is never changed. */
export function wireTools(
  tools: readonly ToolDefinition[],
  quirks: TargetQuirks,
  memo = new WireMemo(),
): readonly ToolDefinition[] {
  const seen = new Set<string>();
  const dialect = quirks.toolSchema ?? "standard";
  return tools
    .filter((tool) => !seen.has(tool.name) && seen.add(tool.name))
    .map((tool) => ({ ...tool, parameters: memo.schema(tool.parameters, dialect, (one) => toDialect(one, dialect)) }));
}

function toDialect(schema: JsonSchema, dialect: NonNullable<TargetQuirks["toolSchema"]>): JsonSchema {
  const standard = standardSchema(schema);
  if (dialect === "moonshot") return moonshotSchema(standard);
  return dialect === "gemini" ? geminiSchema(standard) : standard;
}

/**
 * What every provider insists on: the schema of the arguments is an object schema without alternatives
 * at its top, and an array says what it holds.
 */
export function standardSchema(schema: JsonSchema): JsonSchema {
  const input = isRecord(schema) ? schema : {};
  const { oneOf: _oneOf, anyOf: _anyOf, allOf: _allOf, ...kept } = input;
  const whole = { ...kept, type: "object", properties: isRecord(input["properties"]) ? input["properties"] : {} };
  return mapSchema(whole, (node) => {
    const isArray = node["type"] === "array" || (Array.isArray(node["type"]) && node["type"].includes("array"));
    return isArray && node["items"] === undefined ? { ...node, items: {} } : node;
  });
}
