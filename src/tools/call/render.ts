import type { ContentPart, ToolDetails } from "#conversation";
import { describe } from "#foundation/errors";
import { isRecord, parseJson, scrubSurrogates, toJsonText } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";
import { ToolFailure, type ToolResult } from "../contract/result.ts";

/** A result as text: always well-formed JSON, whatever the tool gave. */
export interface Rendered {
  readonly text: string;
  readonly isError: boolean;
  readonly preview: string;
  readonly diff?: string | undefined;
  readonly details?: ToolDetails | undefined;
  readonly images: readonly ContentPart[];
}

const previewChars = 200;

export function renderResult(result: ToolResult): Rendered {
  const text = scrubSurrogates(jsonText(result.content));
  const value = jsonValue(result.content);
  return {
    text,
    isError: result.isError ?? looksFailed(value),
    preview: result.preview ?? previewOf(value, text),
    diff: result.diff,
    details: result.details,
    images: result.images ?? [],
  };
}

/** `{"error":…}` for anything thrown, or for a message. */
export function renderError(error: unknown, extra: Readonly<Record<string, unknown>> = {}): Rendered {
  const content =
    error instanceof ToolFailure
      ? { error: error.message, ...error.extra, ...extra }
      : {
          error: typeof error === "string" ? error : `Tool execution failed: ${classOf(error)}: ${describe(error)}`,
          ...extra,
        };
  return {
    text: scrubSurrogates(toJsonText(content)),
    isError: true,
    preview: truncateEnd(content.error, previewChars),
    images: [],
  };
}

/** What was given, or what its text says where it is JSON. */
function jsonValue(content: unknown): unknown {
  if (typeof content !== "string") return content;
  const parsed = parseJson(content);
  return parsed.ok ? parsed.value : { result: content };
}

/** Text that is JSON stays as it is; plain text of plugins is wrapped. */
function jsonText(content: unknown): string {
  if (typeof content !== "string") return toJsonText(content);
  return parseJson(content).ok ? content : toJsonText({ result: content });
}

/** Whether a result of a plugin or a server, which does not say so itself, reports a failure: by its fields. */
function looksFailed(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (typeof value["error"] === "string" && value["error"] !== "") return true;
  if (value["success"] === false || value["failed"] === true) return true;
  if (typeof value["exit_code"] === "number" && value["exit_code"] !== 0) return true;
  return ["error", "failed", "timeout", "blocked"].includes(String(value["status"]));
}

function previewOf(value: unknown, text: string): string {
  if (!isRecord(value)) return truncateEnd(text, previewChars);
  for (const key of ["error", "output", "summary", "message", "content", "result"]) {
    const field = value[key];
    if (typeof field === "string" && field.trim() !== "") return truncateEnd(field.trim(), previewChars);
  }
  return truncateEnd(text, previewChars);
}

function classOf(error: unknown): string {
  if (!(error instanceof Error)) return "Error";
  return error.name === "Error" ? error.constructor.name : error.name;
}
