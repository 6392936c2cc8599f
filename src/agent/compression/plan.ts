import type { Message } from "#conversation";
import { findSummary, isSummaryOnly } from "./summary-message.ts";
import type { CompressionLimits } from "./thresholds.ts";

/**
 * What stays and what is summarised. Pure. Invariants:
 *
 * 1. `[0, start)` is the head, `[start, end)` the region, `[end, length)` the tail; none of the cuts separates a
 *    call from its result.
 * 2. The user's latest message is in the tail, or it is named by `repeat` and put behind the summary again.
 * 3. An earlier summary always lies in the region: a conversation holds one summary.
 */
export type Plan =
  | { readonly kind: "nothing"; readonly why: "too-short" | "no-region" }
  | {
      readonly kind: "compress";
      readonly start: number;
      readonly end: number;
      /** Index of the user's latest message, where it is not in the tail. */
      readonly repeat?: number;
    };

export interface PlanOptions {
  readonly limits: Pick<CompressionLimits, "tailBudget" | "softCeiling" | "protectLastN">;
  sizeOf(message: Message): number;
}

const headSize = 3;
const smallestTail = 3;
const smallestTranscript = 7;

export function planCompression(messages: readonly Message[], options: PlanOptions): Plan {
  if (messages.length <= smallestTranscript) return { kind: "nothing", why: "too-short" };
  const start = startOfRegion(messages);
  const withinBudget = groupStart(messages, tailStart(messages, start, options));
  // A tail that leaves nothing to summarise is cut to its smallest form.
  const isTooLong = !hasWords(messages.slice(start, withinBudget));
  const end = isTooLong ? groupStart(messages, messages.length - smallestTail) : withinBudget;
  if (!hasWords(messages.slice(start, end))) return { kind: "nothing", why: "no-region" };
  const latest = latestRequest(messages);
  if (latest === undefined || latest >= end) return { kind: "compress", start, end };
  const moved = fitsBefore(messages, latest, options) ? latest : undefined;
  if (moved !== undefined && moved > start && hasWords(messages.slice(start, moved)))
    return { kind: "compress", start, end: moved };
  if (!hasWords(messages.slice(start, end).filter((message) => message !== messages[latest])))
    return { kind: "nothing", why: "no-region" };
  return { kind: "compress", start, end, repeat: latest };
}

/** The last thing the user said; steering text and summaries do not count. */
export function latestRequest(messages: readonly Message[]): number | undefined {
  const index = messages.findLastIndex(
    (message) => message.role === "user" && message._scaffold !== true && !isSummaryOnly(message),
  );
  return index < 0 ? undefined : index;
}

function startOfRegion(messages: readonly Message[]): number {
  let start = headSize;
  while (messages[start]?.role === "tool") start += 1;
  const summary = messages.findIndex((message) => findSummary(message) !== undefined);
  return summary >= 0 && summary < start ? summary : start;
}

function tailStart(messages: readonly Message[], start: number, { limits, sizeOf }: PlanOptions): number {
  let at = messages.length;
  let sum = 0;
  while (at > start) {
    const message = messages[at - 1];
    if (message === undefined) break;
    sum += sizeOf(message);
    const kept = messages.length - at;
    const isWithin = sum <= limits.tailBudget || (kept < limits.protectLastN && sum <= limits.softCeiling);
    if (!isWithin && kept >= smallestTail) break;
    at -= 1;
  }
  return at;
}

/** Back to the assistant message whose results begin before this place. */
function groupStart(messages: readonly Message[], index: number): number {
  let at = index;
  while (at > 0 && messages[at]?.role === "tool") at -= 1;
  return at;
}

function fitsBefore(messages: readonly Message[], from: number, { limits, sizeOf }: PlanOptions): boolean {
  let sum = 0;
  for (const message of messages.slice(from)) sum += sizeOf(message);
  return sum <= limits.softCeiling;
}

function hasWords(region: readonly Message[]): boolean {
  return region.some((message) => !isSummaryOnly(message));
}
