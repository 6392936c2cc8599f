import { truncateEnd } from "#foundation/text/text";

export interface Page {
  /** Lines as `NUMBER|text`, numbers right-aligned. */
  readonly content: string;
  readonly totalLines: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly isTruncated: boolean;
}

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  readonly maxLineLength: number;
}

const numberWidth = 6;

/** One page of a text. A last line without a newline counts; a final newline does not start another line. */
export function readPage(text: string, request: PageRequest): Page {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const from = Math.min(request.offset, Math.max(lines.length, 1)) - 1;
  const shown = lines.slice(from, from + request.limit);
  const content = shown
    .map(
      (line, index) =>
        `${String(from + index + 1).padStart(numberWidth)}|${bounded(line.replace(/\r$/, ""), request.maxLineLength)}`,
    )
    .join("\n");
  const lastLine = from + shown.length;
  return { content, totalLines: lines.length, firstLine: from + 1, lastLine, isTruncated: lastLine < lines.length };
}

function bounded(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line;
  return `${truncateEnd(line, maxLength, "")} [line cut; it has ${line.length} characters]`;
}
