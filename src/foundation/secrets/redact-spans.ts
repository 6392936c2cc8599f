/** A piece of text that must not be seen. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** What is shown instead. */
  readonly mask: string;
  /** Where the text begins that gave it away, such as the name before `=`; at most `start`. */
  readonly from: number;
  /** How certain the finding is; the lower wins where two cover the same text. */
  readonly rank: "exact" | "shape" | "context";
}

const rankOrder = { exact: 0, shape: 1, context: 2 } as const;

/**
 * Joins findings that overlap, so that no part of any of them stays. The joined piece shows the mask
 * of the finding that covers all of it, or plain stars when none does.
 */
export function mergeSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (spans.length < 2) return spans;
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end || rankOrder[a.rank] - rankOrder[b.rank]);
  const merged: SecretSpan[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else merged[merged.length - 1] = joined(last, span);
  }
  return merged;
}

/** `first` starts no later than `second` and reaches at least its start. */
function joined(first: SecretSpan, second: SecretSpan): SecretSpan {
  const from = Math.min(first.from, second.from);
  if (second.end <= first.end) return { ...first, from };
  return { start: first.start, end: second.end, from, mask: "***", rank: "context" };
}

/** The text with each span replaced by its mask. The spans must be in order and apart. */
export function applySpans(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text;
  let result = "";
  let position = 0;
  for (const span of spans) {
    result += text.slice(position, span.start) + span.mask;
    position = span.end;
  }
  return result + text.slice(position);
}
