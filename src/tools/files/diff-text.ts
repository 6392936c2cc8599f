import { truncateEnd } from "#foundation/text/text";

const maxLines = 400;
const maxLineChars = 500;
const maxChars = 20_000;

/** A unified diff of two texts, bounded; empty when they are equal. */
export async function unifiedDiff(path: string, before: string, after: string): Promise<string> {
  if (before === after) return "";
  const { boundedPatch } = await import("./bounded-patch.ts");
  const patch = boundedPatch([`a/${path}`, `b/${path}`], before, after);
  const lines = patch.split("\n").filter((line) => !line.startsWith("====="));
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines) {
    if (shown.length >= maxLines || chars >= maxChars) break;
    shown.push(line.length > maxLineChars ? truncateEnd(line, maxLineChars) : line);
    chars += Math.min(line.length, maxLineChars);
  }
  const left = lines.length - shown.length;
  return left === 0
    ? shown.join("\n").trimEnd()
    : `${shown.join("\n")}\n[${left} more lines of this diff are not shown]`;
}
