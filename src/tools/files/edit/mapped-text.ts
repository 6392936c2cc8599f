/**
 * A text made from another by replacing pieces, which still knows where each character came from.
 * Matches found in the simplified text are cut out of the original at exactly the right place.
 */
export interface MappedText {
  readonly text: string;
  /** Offset in the original for an offset in `text` (also for its end). */
  toOriginal(offset: number): number;
}

/** Replaces every match of a global pattern; the rest is kept as it is. */
export function mapText(original: string, pattern: RegExp, replace: (piece: string) => string): MappedText {
  const pieces: string[] = [];
  // Where the simplified text runs ahead of or behind the original: [offset in text, offset in original].
  const anchors: [number, number][] = [[0, 0]];
  let from = 0;
  let length = 0;
  for (const match of original.matchAll(pattern)) {
    const kept = original.slice(from, match.index);
    const put = replace(match[0]);
    pieces.push(kept, put);
    length += kept.length;
    anchors.push([length, match.index]);
    length += put.length;
    from = match.index + match[0].length;
    anchors.push([length, from]);
  }
  pieces.push(original.slice(from));
  return { text: pieces.join(""), toOriginal: (offset) => originalOffset(anchors, offset) };
}

/** Inside a replaced piece every offset but its start counts as its end. */
function originalOffset(anchors: readonly [number, number][], offset: number): number {
  let low = 0;
  let high = anchors.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((anchors[middle]?.[0] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const [at, origin] = anchors[low] ?? [0, 0];
  const next = anchors[low + 1];
  const moved = origin + (offset - at);
  return next === undefined ? moved : Math.min(moved, next[1]);
}
