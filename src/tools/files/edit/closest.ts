import { similarity } from "#foundation/text/text";

const maxSections = 3;
const minSimilarity = 0.3;
const contextLines = 2;
const maxLineLength = 200;
const maxLines = 20_000;

/** The places in a file that look most like a snippet that was not found, numbered, for the model to compare. */
export function closestSections(content: string, wanted: string): readonly string[] {
  const first = wanted
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.trim()
    .slice(0, maxLineLength);
  if (first === undefined) return [];
  const lines = content.split(/\r?\n/).slice(0, maxLines);
  const scores = new Map<string, number>();
  const score = (line: string): number => {
    const trimmed = line.trim().slice(0, maxLineLength);
    if (trimmed === "") return 0;
    const bound = (2 * Math.min(trimmed.length, first.length)) / (trimmed.length + first.length);
    if (bound <= minSimilarity) return 0;
    const known = scores.get(trimmed) ?? similarity(trimmed, first);
    scores.set(trimmed, known);
    return known;
  };
  return lines
    .map((line, index) => ({ index, score: score(line) }))
    .filter((one) => one.score > minSimilarity)
    .sort((left, right) => right.score - left.score || left.index - right.index)
    .slice(0, maxSections)
    .map(({ index }) => numbered(lines, Math.max(0, index - contextLines), index + contextLines + 1));
}

function numbered(lines: readonly string[], from: number, to: number): string {
  return lines
    .slice(from, to)
    .map((line, index) => `${String(from + index + 1).padStart(6)}|${line.slice(0, maxLineLength)}`)
    .join("\n");
}
