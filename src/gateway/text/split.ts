import type { Capabilities } from "../platform/platform.ts";

export interface SplitOptions {
  /** The longest piece, as `measure` counts. */
  readonly limit: number;
  /** How long the platform finds a text, its markup included. Grows with the text. */
  measure(text: string): number;
}

/** Room for the counter at the end of each piece. */
const counterRoom = 10;
const wideCounterRoom = 14;
/** Markup that is taken out makes a text shorter, but hardly by more than this. */
const longestShrink = 8;

/** A long text in pieces that each stand on their own; more than one piece is numbered. */
export function splitText(text: string, options: SplitOptions): readonly string[] {
  const pieces = splitPieces(text, options);
  return pieces.map((piece, index) => piece + counter(index, pieces.length));
}

/** What stands at the end of a piece among several. */
export function counter(index: number, count: number): string {
  return count <= 1 ? "" : ` (${index + 1}/${count})`;
}

/**
 * Cut between lines or words, never inside a character; a code block that is cut is closed and opened again. Each piece
 * leaves room for its counter.
 */
export function splitPieces(text: string, options: SplitOptions): readonly string[] {
  const { limit, measure } = options;
  if (measure(text) <= limit) return [text];
  const room = measure(text) > limit * 90 ? wideCounterRoom : counterRoom;
  const pieces: string[] = [];
  let rest = text;
  let fence: Fence | undefined;
  while (rest !== "") {
    const opening = fence === undefined ? "" : `${fence.marker}${fence.info}\n`;
    // Looking at all that is left for each piece would make the cost grow with the square of the length.
    if (rest.length <= limit * longestShrink && measure(opening + rest) <= limit - room) {
      pieces.push(opening + rest);
      break;
    }
    const closing = fence === undefined ? 4 : fence.marker.length + 1;
    const budget = Math.max(1, limit - room - measure(opening) - closing);
    const at = cutAt(
      rest,
      longestPrefix(rest, (part) => measure(part) <= budget),
    );
    const piece = opening + rest.slice(0, at).trimEnd();
    fence = openFence(piece);
    pieces.push(fence === undefined ? piece : `${piece}\n${fence.marker}`);
    const left = rest.slice(at);
    // Inside code the indentation of the next line counts.
    rest = fence === undefined ? left.trimStart() : left.replace(/^\n/u, "");
  }
  return pieces.filter((piece) => piece.trim() !== "");
}

/** How platforms count. */
export function lengthIn(unit: Capabilities["lengthUnit"]): (text: string) => number {
  if (unit === "utf16") return (text) => text.length;
  if (unit === "bytes") return (text) => Buffer.byteLength(text);
  return (text) => {
    let count = 0;
    for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
    return count;
  };
}

interface Fence {
  readonly marker: string;
  readonly info: string;
}

/** The code block that is still open at the end. */
function openFence(text: string): Fence | undefined {
  let open: Fence | undefined;
  for (const [, marker = "", info = ""] of text.matchAll(/^ {0,3}(`{3,})([^`\n]*)$/gmu)) {
    if (open === undefined) open = { marker, info };
    else if (marker.length >= open.marker.length && info.trim() === "") open = undefined;
  }
  return open;
}

/** The greatest length whose beginning fits; at least one character, whole ones only. */
function longestPrefix(text: string, fits: (part: string) => boolean): number {
  let good = 0;
  let bad = 1;
  while (bad < text.length && fits(text.slice(0, bad))) {
    good = bad;
    bad *= 2;
  }
  bad = Math.min(bad, text.length + 1);
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (fits(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return wholeCharacters(text, good);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Longer than any character that people write on purpose. */
const longestCharacter = 64;

function wholeCharacters(text: string, at: number): number {
  const from = Math.max(0, at - longestCharacter);
  let end = 0;
  let first = 0;
  for (const { index, segment } of graphemes.segment(text.slice(from, at + longestCharacter))) {
    if (first === 0) first = segment.length;
    if (from + index + segment.length > at) break;
    end = from + index + segment.length;
  }
  // One character is longer than the budget: half of a pair would be worse than too long a piece.
  if (end > 0) return end;
  return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
}

function cutAt(text: string, longest: number): number {
  const part = text.slice(0, longest);
  const line = part.lastIndexOf("\n");
  const word = part.lastIndexOf(" ");
  let at = longest;
  if (line > 0 && line >= longest / 2) at = line;
  else if (word > 0) at = word;
  else if (line > 0) at = line;
  return beforeInlineCode(text, at, longest);
}

/** A cut inside `inline code` moves before it, unless the piece would become very short. */
function beforeInlineCode(text: string, at: number, longest: number): number {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const line = text.slice(lineStart, at);
  const ticks = [...line.matchAll(/`+/gu)].filter(([run]) => run.length < 3);
  const last = ticks.at(-1);
  if (ticks.length % 2 === 0 || last === undefined || openFence(text.slice(0, lineStart)) !== undefined) return at;
  const tick = lineStart + last.index;
  const before = Math.max(text.lastIndexOf(" ", tick), text.lastIndexOf("\n", tick));
  return before > longest / 4 ? before : at;
}
