import { factsOf, isRequired, isSecretNode } from "../lookup.ts";
import { configRoot } from "../sections/root.ts";
import type { Node } from "../sections/setting.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** The file's format for editors and other programs. */
export function configSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Hermes configuration",
    ...schemaOf(configRoot),
  };
}

function schemaOf(node: Node): JsonSchema {
  const type = typeOf(node);
  return {
    ...present({
      ...(node.about === undefined ? {} : factsOf(node)),
      secret: isSecretNode(node) ? true : undefined,
      default: node.initial,
    }),
    ...(node.nullable === true ? { anyOf: [type, { type: "null" }] } : type),
  };
}

const present = (facts: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));

function typeOf(node: Node): JsonSchema {
  switch (node.kind) {
    case "group": {
      const fields = Object.entries(node.fields);
      const required = fields.filter(([, field]) => isRequired(field)).map(([key]) => key);
      const properties = Object.fromEntries(fields.map(([key, field]) => [key, schemaOf(field)]));
      return { type: "object", properties, ...present({ required: required.length === 0 ? undefined : required }) };
    }
    case "map":
      return { type: "object", additionalProperties: schemaOf(node.value) };
    case "list":
      return { type: "array", items: schemaOf(node.item) };
    case "either":
      return { anyOf: node.options.map(schemaOf) };
    case "choice":
      return { type: "string", enum: node.choices };
    case "number":
      return {
        type: node.whole === true ? "integer" : "number",
        ...present({ minimum: node.min, maximum: node.max, clamp: node.clamp }),
      };
    case "text":
      return { type: "string" };
    case "flag":
      return { type: "boolean" };
    case "anything":
      return {};
  }
}
