import { isRecord } from "#foundation/text/json";
import type { AssistantMessage } from "../message.ts";

/** The reasoning fields a provider may have filled. */
export interface ReasoningFields {
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning_details?: unknown;
}

/**
 * Reasoning as one text, from the provider's structured fields: `reasoning`, `reasoning_content`,
 * then the blocks of `reasoning_details`; the same words are taken once. Undefined when no field
 * holds any, and only then may inline tags be used instead.
 */
export function structuredReasoning(fields: ReasoningFields): string | undefined {
  const pieces: string[] = [];
  const add = (value: unknown): void => {
    const text = typeof value === "string" ? value.trim() : "";
    if (text !== "" && !pieces.includes(text)) pieces.push(text);
  };
  add(fields.reasoning);
  add(fields.reasoning_content);
  if (Array.isArray(fields.reasoning_details)) for (const detail of fields.reasoning_details) add(detailText(detail));
  return pieces.length === 0 ? undefined : pieces.join("\n\n");
}

function detailText(detail: unknown): string | undefined {
  if (typeof detail === "string") return detail;
  if (!isRecord(detail)) return undefined;
  for (const key of ["summary", "thinking", "content", "text"]) {
    const text = looseText(detail[key]);
    if (text !== "") return text;
  }
  return undefined;
}

/** A string, or a list of strings and `{text}` blocks. */
function looseText(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value
    .map((item) => (typeof item === "string" ? item : isRecord(item) && typeof item.text === "string" ? item.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}

/**
 * What goes back to the provider as `reasoning_content`: its own words if it gave any (also an
 * empty string), else our plain reasoning, else an empty string for providers that insist on the
 * field, else nothing at all (never null).
 */
export function replayedReasoning(
  message: AssistantMessage,
  options: { readonly fieldIsRequired: boolean },
): string | undefined {
  if (typeof message.reasoning_content === "string") return message.reasoning_content;
  if (typeof message.reasoning === "string" && message.reasoning !== "") return message.reasoning;
  return options.fieldIsRequired ? "" : undefined;
}
