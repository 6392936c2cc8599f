import type { JsonSchema } from "#conversation";

/** An answer for a client: one JSON document, and pictures beside it. */
export interface ServedAnswer {
  readonly document: Readonly<Record<string, unknown>>;
  readonly images?: readonly { readonly data: string; readonly mimeType: string }[];
}

/** One tool of the server. What the caller can act on is thrown as a `UserError`. */
export interface ServedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly isReadOnly: boolean;
  run(args: Arguments, signal: AbortSignal): Promise<ServedAnswer>;
}

/** Checked against the schema before a tool sees them. */
export type Arguments = Readonly<Record<string, unknown>>;

export function textArgument(args: Arguments, name: string): string {
  const value = args[name];
  return typeof value === "string" ? value : "";
}

export function maybeText(args: Arguments, name: string): string | undefined {
  const value = textArgument(args, name).trim();
  return value === "" ? undefined : value;
}

export function wholeNumber(args: Arguments, name: string, usual: number): number {
  const value = args[name];
  return typeof value === "number" && Number.isInteger(value) ? value : usual;
}

export const sessionKey = {
  type: "string",
  minLength: 1,
  maxLength: 300,
  description: "A key from conversations_list; a session id or a title works too",
} as const;

export const platformName = {
  type: "string",
  maxLength: 60,
  description: "Only this surface: cli, telegram, …",
} as const;

export function objectOf(properties: Readonly<Record<string, unknown>>, required: readonly string[] = []): JsonSchema {
  return { type: "object", properties, required: [...required], additionalProperties: false };
}
