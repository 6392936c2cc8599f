import { blockAnchor, contextAware, indentationFlexible, lineTrimmed, trimmedBoundary } from "./line-strategies.ts";
import { indentationOf } from "./lines.ts";
import { mapText } from "./mapped-text.ts";
import type { Match, Strategy } from "./strategy.ts";
import { escapeNormalized, exact, unicodeNormalized, whitespaceNormalized } from "./text-strategies.ts";

/** From strict to lenient; the first that finds anything decides, and ambiguity is judged within it. */
const strategies: readonly Strategy[] = [
  exact,
  lineTrimmed,
  whitespaceNormalized,
  indentationFlexible,
  escapeNormalized,
  trimmedBoundary,
  unicodeNormalized,
  blockAnchor,
  contextAware,
];

export interface ReplaceRequest {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean;
}

export type Replaced =
  | { readonly kind: "replaced"; readonly text: string; readonly strategy: string; readonly count: number }
  | { readonly kind: "not-found" }
  | { readonly kind: "ambiguous"; readonly count: number; readonly strategy: string }
  | { readonly kind: "refused"; readonly reason: string };

/** Replaces a snippet. Line ends are matched as `\n` and written as the file has them; all other bytes stay. */
export function replaceText(content: string, request: ReplaceRequest): Replaced {
  if (request.oldText === "") return { kind: "refused", reason: "old_string is empty; give the text to replace" };
  if (request.oldText === request.newText)
    return { kind: "refused", reason: "old_string and new_string are identical" };
  const unix = mapText(content, /\r\n/g, () => "\n");
  const oldText = request.oldText.replaceAll("\r\n", "\n");
  const newText = request.newText.replaceAll("\r\n", "\n");
  const found = locate(unix.text, oldText);
  if (found === undefined) return { kind: "not-found" };
  const { strategy: used, matches } = found;
  const isMany = matches.length > 1;
  if (isMany && (request.replaceAll !== true || used.isSingleOnly)) {
    return { kind: "ambiguous", count: matches.length, strategy: used.name };
  }
  const drift = escapeDrift(used, matches, { content: unix.text, oldText, newText });
  if (drift !== undefined) return { kind: "refused", reason: drift };
  const lineEnd = dominantLineEnd(content);
  let text = content;
  for (const match of withoutOverlap(matches).reverse()) {
    const put = used.reindents
      ? reindent(newText, oldText, unix.text.slice(lineStart(unix.text, match.start)))
      : newText;
    const start = unix.toOriginal(match.start);
    text = text.slice(0, start) + put.replaceAll("\n", lineEnd) + text.slice(unix.toOriginal(match.end));
  }
  return { kind: "replaced", text, strategy: used.name, count: withoutOverlap(matches).length };
}

export function locate(
  content: string,
  pattern: string,
): { readonly strategy: Strategy; readonly matches: readonly Match[] } | undefined {
  for (const one of strategies) {
    const matches = one.find(content, pattern);
    if (matches.length > 0) return { strategy: one, matches };
  }
  return undefined;
}

function withoutOverlap(matches: readonly Match[]): Match[] {
  const kept: Match[] = [];
  for (const match of matches) if (match.start >= (kept.at(-1)?.end ?? 0)) kept.push(match);
  return kept;
}

/** Backslashes before quotes that the file does not have come from a model that escaped twice. */
function escapeDrift(
  used: Strategy,
  matches: readonly Match[],
  texts: { readonly content: string; readonly oldText: string; readonly newText: string },
): string | undefined {
  if (used.name === "exact") return undefined;
  for (const escaped of ["\\'", '\\"']) {
    if (!texts.oldText.includes(escaped) || !texts.newText.includes(escaped)) continue;
    if (matches.some((match) => texts.content.slice(match.start, match.end).includes(escaped))) continue;
    return `old_string and new_string contain ${escaped}, but the file has a plain quote there; send both again without the backslash`;
  }
  return undefined;
}

/** Shifts the new lines by the difference between the file's indentation and the one the model wrote. */
function reindent(newText: string, oldText: string, fileFrom: string): string {
  const have = indentationOf(fileFrom);
  const wrote = indentationOf(oldText.split("\n").find((line) => line.trim() !== "") ?? "");
  if (have === wrote) return newText;
  const shift = (line: string): string => {
    if (line.trim() === "") return line;
    if (have.startsWith(wrote)) return have.slice(wrote.length) + line;
    if (wrote.startsWith(have)) {
      const surplus = wrote.slice(have.length);
      return line.startsWith(surplus) ? line.slice(surplus.length) : line;
    }
    return line.startsWith(wrote) ? have + line.slice(wrote.length) : line;
  };
  return newText.split("\n").map(shift).join("\n");
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function dominantLineEnd(content: string): "\n" | "\r\n" {
  const windows = content.split("\r\n").length - 1;
  const all = content.split("\n").length - 1;
  return windows * 2 > all ? "\r\n" : "\n";
}
