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
  const sorted = spans.toSorted((a, b) => a.start - b.start || rankOrder[a.rank] - rankOrder[b.rank]);
  const merged: SecretSpan[] = [];
  let group: SecretSpan[] = [];
  let groupEnd = -1;
  for (const span of sorted) {
    if (group.length > 0 && span.start >= groupEnd) {
      merged.push(joined(group));
      group = [];
    }
    groupEnd = group.length === 0 ? span.end : Math.max(groupEnd, span.end);
    group.push(span);
  }
  if (group.length > 0) merged.push(joined(group));
  return merged;
}

function joined(group: readonly SecretSpan[]): SecretSpan {
  const start = Math.min(...group.map((span) => span.start));
  const end = Math.max(...group.map((span) => span.end));
  const from = Math.min(...group.map((span) => span.from));
  const whole = group.filter((span) => span.start === start && span.end === end);
  const best = whole.reduce<SecretSpan | undefined>(
    (first, span) => (first === undefined || rankOrder[span.rank] < rankOrder[first.rank] ? span : first),
    undefined,
  );
  return { start, end, from, mask: best?.mask ?? "***", rank: best?.rank ?? "context" };
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
