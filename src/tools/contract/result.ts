import type { ContentPart, ToolDetails } from "#conversation";

/** What a call gives back. `content` becomes the JSON text the model reads; the rest is for people. */
export interface ToolResult {
  /** A JSON value; a string that is JSON already is passed on as it is. */
  readonly content: unknown;
  /** A line for the screen; derived from the content when absent. */
  readonly preview?: string | undefined;
  readonly diff?: string | undefined;
  /** Facts for programs: an exit code, paths, the task list. */
  readonly details?: ToolDetails | undefined;
  /** Images the model should see beside the text. */
  readonly images?: readonly ContentPart[] | undefined;
  /** True when the content reports a failure; the model can read it all the same. */
  readonly isError?: boolean | undefined;
}

export function result(content: unknown, extra: Omit<ToolResult, "content"> = {}): ToolResult {
  return { content, ...extra };
}

/** The only error a model may read: what was tried, with which value, and what to do next. */
export class ToolFailure extends Error {
  override readonly name: string = "ToolFailure";
  /** Further fields of the error object, for example `similar_files`. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(message: string, extra: Readonly<Record<string, unknown>> = {}, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.extra = extra;
  }
}

/** `{"error":…}` with further fields, as a result. */
export function failed(message: string, extra: Readonly<Record<string, unknown>> = {}): ToolResult {
  return { content: { error: message, ...extra }, isError: true };
}
