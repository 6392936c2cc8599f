const maxEntries = 500;

/**
 * The single remarks of a Markdown file: each point of a list with what is indented below it, each paragraph, each
 * block of code. A point is told what heading it stood under, because it will stand alone. Left out are what a
 * template brings without an answer, comments and rules.
 */
export function noteEntries(markdown: string): readonly string[] {
  const entries: string[] = [];
  let heading = "";
  let lines: string[] = [];
  let isCode = false;
  const close = (): void => {
    const text = lines
      .filter((line) => isCode || !isUnanswered(line.trim()))
      .join("\n")
      .trim();
    lines = [];
    if (text === "") return;
    entries.push(heading === "" || text.startsWith("```") ? text : `${heading}: ${text}`);
  };
  const clean = withoutComments(markdown.replaceAll("\r\n", "\n").replace(/^---\n[\s\S]*?\n---\n/, ""));
  for (const line of clean.split("\n")) {
    if (line.trimStart().startsWith("```")) {
      if (!isCode) close();
      lines.push(line);
      if (isCode) close();
      isCode = !isCode;
      continue;
    }
    if (isCode) {
      lines.push(line);
      continue;
    }
    const title = /^(#{1,6})\s+(.*)$/.exec(line);
    const point = /^[-*+]\s+(.*)$|^\d+[.)]\s+(.*)$/.exec(line);
    const isEnd = line.trim() === "" || /^\s*(?:[-*_]\s*){3,}$/.test(line) || /^\s*§\s*$/.test(line);
    if (title !== null || point !== null || isEnd) close();
    if (title !== null) heading = (title[1] ?? "").length === 1 ? "" : (title[2] ?? "").trim();
    else if (point !== null) lines.push((point[1] ?? point[2] ?? "").trim());
    else if (!isEnd) lines.push(line.trimEnd());
  }
  close();
  return [...new Set(entries)].slice(0, maxEntries);
}

/** Each character is looked at once, however many comments are left open. */
function withoutComments(text: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf("<!--", at);
    const close = open < 0 ? -1 : text.indexOf("-->", open + 4);
    if (close < 0) return `${pieces.join("")}${text.slice(at)}`;
    pieces.push(text.slice(at, open));
    at = close + 3;
  }
}

/** `**Name:**` and `_(what do they care about?)_`: questions of a template that nobody has answered. */
function isUnanswered(text: string): boolean {
  return /^\*{0,2}[^:*\n]{1,60}:\*{0,2}$/.test(text) || /^[_*]\(?[^_*\n]*\)?[_*]$/.test(text);
}

/** Equal but for case, spacing and marks. */
export function sameRemark(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
