/** A JSON Schema document; only ever passed through, so its inside is not typed here. */
export type JsonSchema = { readonly [key: string]: unknown };

/** What a model is shown of a tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object schema. */
  readonly parameters: JsonSchema;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };
