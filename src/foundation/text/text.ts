export { nearest, similarity } from "./similarity.ts";

/** A text with something in it, trimmed; undefined for anything else. */
export function nonEmpty(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

/** Length as a person counts characters of text: code points, not UTF-16 units. */
export function codePointLength(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index += 1) {
    if (isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1))) count -= 1;
  }
  return count;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Creating a segmenter loads ICU data, so it is made when first needed. */
const segmenter = lazy(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

function lazy<T>(create: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: create() };
    return made.value;
  };
}

/** What a reader sees as single characters: an emoji with its modifiers is one. */
export function graphemes(text: string): string[] {
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

/**
 * Escape sequences of ECMA-48, seven and eight bit: control strings (titles, links, images) with
 * their content, CSI sequences, and two-character escapes. An unfinished one at the end goes too.
 */
const ansi =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?|\x1b[\x20-\x2f]*[\x30-\x7e]?/g;

export function stripAnsi(text: string): string {
  return text.replace(ansi, "");
}

/** Text that stands for what was left out; a function is told how many code points that are. */
export type Marker = string | ((omitted: number) => string);

/** At most `maxCodePoints`, keeping the beginning. Never cuts a character a reader sees as one. */
export function truncateEnd(text: string, maxCodePoints: number, marker: Marker = "…"): string {
  return truncate(text, maxCodePoints, { marker, headShare: 1 });
}

/** At most `maxCodePoints`, keeping the beginning and the end. */
export function truncateMiddle(text: string, maxCodePoints: number, marker: Marker = "…"): string {
  return truncate(text, maxCodePoints, { marker, headShare: 0.5 });
}

function truncate(text: string, maxCodePoints: number, how: { marker: Marker; headShare: number }): string {
  if (text.length <= maxCodePoints) return text;
  const total = codePointLength(text);
  if (total <= maxCodePoints) return text;
  const widest = typeof how.marker === "string" ? how.marker : how.marker(total);
  const room = maxCodePoints - codePointLength(widest);
  if (room <= 0) return text.slice(0, headEnd(text, Math.max(0, maxCodePoints)));
  const headRoom = Math.ceil(room * how.headShare);
  const head = text.slice(0, headEnd(text, headRoom));
  const tail = text.slice(Math.max(head.length, tailStart(text, room - headRoom)));
  if (typeof how.marker === "string") return head + how.marker + tail;
  return head + how.marker(total - codePointLength(head) - codePointLength(tail)) + tail;
}

/** The last cut between two graphemes that leaves at most `codePoints` before it. */
function headEnd(text: string, codePoints: number): number {
  let index = 0;
  for (let left = codePoints; left > 0 && index < text.length; left -= 1) index += unitsAt(text, index);
  return boundary(text, index).before;
}

/** The first cut between two graphemes that leaves at most `codePoints` after it. */
function tailStart(text: string, codePoints: number): number {
  let index = text.length;
  for (let left = codePoints; left > 0 && index > 0; left -= 1) {
    index -= index > 1 && unitsAt(text, index - 2) === 2 ? 2 : 1;
  }
  return boundary(text, index).after;
}

function unitsAt(text: string, index: number): 1 | 2 {
  return isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1)) ? 2 : 1;
}

function boundary(text: string, index: number): { readonly before: number; readonly after: number } {
  if (index <= 0 || index >= text.length) return { before: index, after: index };
  const around = segmenter().segment(text).containing(index);
  if (around === undefined || around.index === index) return { before: index, after: index };
  return { before: around.index, after: around.index + around.segment.length };
}
