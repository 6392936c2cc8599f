import type { JsonSchema } from "#conversation";
import { isRecord } from "#foundation/text/json";

/** The arguments of a call, checked against what the tool says it takes. */
export class Arguments {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** Empty when it was left out. */
  text(name: string): string {
    const value = this.#values[name];
    return typeof value === "string" ? value.trim() : "";
  }

  /** A whole number from 1 to `most`. */
  count(name: string, { usual, most }: { readonly usual: number; readonly most: number }): number {
    const value = Number(this.#values[name] ?? usual);
    return Number.isFinite(value) ? Math.min(most, Math.max(1, Math.round(value))) : usual;
  }
}

/** What is wrong with the arguments of a call, in words for the model; undefined when nothing is. */
export function argumentProblem(parameters: JsonSchema, args: Readonly<Record<string, unknown>>): string | undefined {
  const properties = isRecord(parameters["properties"]) ? parameters["properties"] : {};
  const required = Array.isArray(parameters["required"]) ? parameters["required"] : [];
  for (const [name, schema] of Object.entries(properties)) {
    const value = args[name];
    const isMissing = value === undefined || value === null || value === "";
    if (isMissing && required.includes(name)) return `${name} is required.`;
    if (isMissing || !isRecord(schema)) continue;
    if (schema["type"] === "string" && typeof value !== "string") return `${name} must be a text.`;
    const choices = schema["enum"];
    if (Array.isArray(choices) && !choices.includes(value)) return `${name} must be one of ${choices.join(", ")}.`;
  }
  return undefined;
}

interface ToolShape {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** A definition from its fields. */
export function toolShape({ name, description, properties, required = [] }: ToolShape) {
  return { name, description, parameters: { type: "object", properties, required } };
}

/** A text among the fields of a tool. */
export const textField = (description: string) => ({ type: "string", description });

/** How many results are wanted. */
export const limitField = { type: "integer", description: "How many at most" };
