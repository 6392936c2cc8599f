const numbered = /^\s*\d+[.)]\s/u;
const fence = /^\s*(?:```|~~~)/u;

/** DingTalk joins a numbered list to the line above it, and does not see code that is set in. */
export function dingtalkMarkdown(markdown: string): string {
  const lines: string[] = [];
  let indent: number | undefined;
  for (const line of markdown.split("\n")) {
    const isFence = fence.test(line);
    const before = lines.at(-1) ?? "";
    if (indent !== undefined) {
      lines.push(line.slice(Math.min(indent, line.length - line.trimStart().length)));
      if (isFence) indent = undefined;
    } else if (isFence) {
      indent = line.length - line.trimStart().length;
      lines.push(line.trimStart());
    } else {
      if (numbered.test(line) && before.trim() !== "" && !numbered.test(before)) lines.push("");
      lines.push(line);
    }
  }
  return lines.join("\n");
}
