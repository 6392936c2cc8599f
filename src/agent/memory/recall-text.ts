import { recallNote } from "#conversation";
import { scrubSurrogates } from "#foundation/text/json";
import { truncateEnd } from "#foundation/text/text";

const maxChars = 16_000;
const fence = /<\s*\/?\s*memory-context\b[^<>]*>/gi;

/**
 * What a provider recalled, fit to stand inside the fence of a request: without fences of its own, well-formed and
 * bounded. Undefined when nothing is left.
 */
export function cleanRecall(given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  let text = scrubSurrogates(truncateEnd(given, maxChars)).replaceAll(recallNote, "");
  // Removing one fence may put the halves of another together.
  for (let next = text.replace(fence, ""); next !== text; next = text.replace(fence, "")) text = next;
  const trimmed = text.trim();
  return trimmed === "" ? undefined : trimmed;
}
