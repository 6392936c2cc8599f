export interface Row {
  readonly id: string;
}

/** Where each row of a column begins, and where the last one ends; rows that were never drawn are estimated. */
export function offsetsOf(rows: readonly Row[], heights: ReadonlyMap<string, number>): readonly number[] {
  const offsets = [0];
  let end = 0;
  const usual = usualHeight(heights);
  for (const { id } of rows) {
    end += heights.get(id) ?? usual;
    offsets.push(end);
  }
  return offsets;
}

/** The mean of what was measured: the bar beside the column then hardly moves while rows become known. */
function usualHeight(heights: ReadonlyMap<string, number>): number {
  if (heights.size === 0) return 80;
  let sum = 0;
  for (const height of heights.values()) sum += height;
  return sum / heights.size;
}

/** The row at this height of the column. */
export function rowAt(offsets: readonly number[], y: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface Range {
  readonly first: number;
  /** One behind the last. */
  readonly end: number;
}

/** Shorter columns are drawn whole: the search of the browser finds everything in them, and what was unfolded stays so. */
const drawnWhole = 150;
/** So much is drawn above and below what is seen. */
const marginPixels = 1000;

export function visibleRange(offsets: readonly number[], top: number, height: number): Range {
  const count = offsets.length - 1;
  if (count <= drawnWhole) return { first: 0, end: count };
  return { first: rowAt(offsets, top - marginPixels), end: rowAt(offsets, top + height + marginPixels) + 1 };
}
