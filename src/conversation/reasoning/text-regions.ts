/** Half-open ranges `[start, end)` of a text, in order and without overlap. */
export type Range = readonly [start: number, end: number];

/** Where a text is code: fenced blocks and inline code spans, by the rules of CommonMark that matter here. */
export function codeRanges(text: string): readonly Range[] {
  if (!text.includes("`") && !text.includes("~~~")) return [];
  const fences = fencedRanges(text);
  const ranges: Range[] = [];
  let from = 0;
  for (const fence of fences) {
    ranges.push(...inlineRanges(text, from, fence[0]), fence);
    from = fence[1];
  }
  ranges.push(...inlineRanges(text, from, text.length));
  return ranges;
}

export function isInside(ranges: readonly Range[], position: number): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (range === undefined) return false;
    if (position < range[0]) high = middle - 1;
    else if (position >= range[1]) low = middle + 1;
    else return true;
  }
  return false;
}

function fencedRanges(text: string): Range[] {
  const ranges: Range[] = [];
  let open: { start: number; mark: string } | undefined;
  let lineStart = 0;
  while (lineStart <= text.length) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 ? text.length : newline;
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(text.slice(lineStart, Math.min(lineEnd, lineStart + 200)));
    const mark = fence?.[1];
    if (mark !== undefined) {
      if (open === undefined) open = { start: lineStart, mark };
      else if (mark.startsWith(open.mark) && fence?.[2]?.trim() === "") {
        ranges.push([open.start, lineEnd]);
        open = undefined;
      }
    }
    if (newline < 0) break;
    lineStart = newline + 1;
  }
  if (open !== undefined) ranges.push([open.start, text.length]);
  return ranges;
}

/** Backtick runs closed by a run of the same length within the same paragraph. */
function inlineRanges(text: string, from: number, to: number): Range[] {
  const ranges: Range[] = [];
  const paragraphs = text.slice(from, to).split(/(\n[ \t]*\n)/);
  let offset = from;
  for (const paragraph of paragraphs) {
    const runs = [...paragraph.matchAll(/`+/g)];
    const openRuns = new Map<number, number[]>();
    runs.forEach((run, index) => {
      const list = openRuns.get(run[0].length) ?? [];
      list.push(index);
      openRuns.set(run[0].length, list);
    });
    let index = 0;
    while (index < runs.length) {
      const run = runs[index];
      if (run === undefined) break;
      const closer = nextOf(openRuns.get(run[0].length) ?? [], index);
      const closing = closer === undefined ? undefined : runs[closer];
      if (closer === undefined || closing === undefined) {
        index += 1;
        continue;
      }
      ranges.push([offset + run.index, offset + closing.index + closing[0].length]);
      index = closer + 1;
    }
    offset += paragraph.length;
  }
  return ranges;
}

/** The first element of an ascending list that is greater than `after`. */
function nextOf(ascending: readonly number[], after: number): number | undefined {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= after) low = middle + 1;
    else high = middle;
  }
  return ascending[low];
}
