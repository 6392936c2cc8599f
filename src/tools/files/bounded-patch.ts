import { createTwoFilesPatch, formatPatch, type StructuredPatch } from "diff";

/**
 * How many lines may differ before the shortest way from one text to the other is not looked for: the search takes the square of
 * that, on the thread that everybody shares.
 */
const mostEdits = 800;
const context = 3;

/** A unified diff of two texts. Of texts that have little in common, what differs is one block. */
export function boundedPatch(names: readonly [string, string], before: string, after: string): string {
  const [oldName, newName] = names;
  const options = { context, maxEditLength: mostEdits };
  return (
    createTwoFilesPatch(oldName, newName, before, after, undefined, undefined, options) ??
    formatPatch(wholeBlock(names, linesOf(before), linesOf(after)))
  );
}

function wholeBlock(
  [oldFileName, newFileName]: readonly [string, string],
  before: readonly string[],
  after: readonly string[],
): StructuredPatch {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const from = Math.max(0, start - context);
  const tail = before.slice(before.length - end, before.length - end + context);
  const oldLines = before.length - end + tail.length - from;
  const newLines = after.length - end + tail.length - from;
  const lines = [
    ...before.slice(from, start).map((line) => ` ${line}`),
    ...before.slice(start, before.length - end).map((line) => `-${line}`),
    ...after.slice(start, after.length - end).map((line) => `+${line}`),
    ...tail.map((line) => ` ${line}`),
  ];
  const hunk = {
    oldStart: oldLines === 0 ? from : from + 1,
    oldLines,
    newStart: newLines === 0 ? from : from + 1,
    newLines,
    lines,
  };
  return { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}

/** As the lines of a patch are; whether the last one ended is not said of texts this different. */
function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
