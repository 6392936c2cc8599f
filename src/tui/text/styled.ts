import { defined } from "#foundation/defined";
import { graphemes } from "#foundation/text/text";
import { displayWidth } from "./width.ts";

/** A piece of a row in one style. Style names are classes of the {@link StyleMap}; unknown ones are plain. */
export interface Span {
  readonly text: string;
  readonly style?: string | undefined;
  /** The text cursor stands before this span. */
  readonly isCursor?: boolean;
}

export type Line = readonly Span[];

/** What widgets may return for a row: plain text, or pieces with styles. */
export type StyledLine = string | Line;

export function toLine(line: StyledLine): Line {
  return typeof line === "string" ? [{ text: line }] : line;
}

export function plainText(line: StyledLine): string {
  return toLine(line)
    .map((span) => span.text)
    .join("");
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, span) => sum + displayWidth(span.text), 0);
}

/** One row at most `width` columns wide; what does not fit is replaced by an ellipsis. */
export function cutLine(line: Line, width: number, ellipsis = "…"): Line {
  if (lineWidth(line) <= width) return line;
  const room = Math.max(0, width - displayWidth(ellipsis));
  const kept: Span[] = [];
  let used = 0;
  for (const span of line) {
    const text = cutText(span.text, room - used, "");
    kept.push({ ...span, text });
    used += displayWidth(text);
    if (text.length < span.text.length) break;
  }
  const last = kept.at(-1);
  return width <= 0 ? [] : [...kept, { text: ellipsis, ...defined({ style: last?.style }) }];
}

/** The beginning of a text, at most `width` columns. */
export function cutText(text: string, width: number, ellipsis = "…"): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  if (room < 0) return "";
  let used = 0;
  let kept = "";
  for (const grapheme of graphemes(text)) {
    const columns = displayWidth(grapheme);
    if (used + columns > room) break;
    used += columns;
    kept += grapheme;
  }
  return kept + ellipsis;
}

/** The end of a text, at most `width` columns: of a path the file's name says most. */
export function cutStart(text: string, width: number, ellipsis = "…"): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  if (room < 0) return "";
  let used = 0;
  let kept = "";
  for (const grapheme of graphemes(text).reverse()) {
    const columns = displayWidth(grapheme);
    if (used + columns > room) break;
    used += columns;
    kept = grapheme + kept;
  }
  return ellipsis + kept;
}

/** Fills a row with spaces of one style up to `width` columns. */
export function padLine(line: Line, width: number, style?: string): Line {
  const missing = width - lineWidth(line);
  if (missing <= 0) return line;
  return [...line, { text: " ".repeat(missing), ...defined({ style }) }];
}
