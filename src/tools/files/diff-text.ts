const maxDiffLines = 400;

/** A unified diff of two texts, bounded; empty when they are equal. */
export async function unifiedDiff(path: string, before: string, after: string): Promise<string> {
  if (before === after) return "";
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { context: 3 });
  const lines = patch.split("\n").filter((line) => !line.startsWith("====="));
  if (lines.length <= maxDiffLines) return lines.join("\n").trimEnd();
  return `${lines.slice(0, maxDiffLines).join("\n")}\n[${lines.length - maxDiffLines} more lines of this diff are not shown]`;
}
