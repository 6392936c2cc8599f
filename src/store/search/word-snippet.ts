import type { QueryTerm } from "./query.ts";
import { matchEnd, matchStart, substringSnippet } from "./snippet.ts";

/** Forty words around the best place of a text, every match in them marked. */
const wordsShown = 40;
const wordsBefore = 5;
const longestText = 500_000;

export function wordSnippet(content: string, terms: readonly QueryTerm[]): string {
  const text = content.slice(0, longestText);
  const words = [...text.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    folded: fold(match[0]),
  }));
  const matches = findMatches(
    words.map((word) => word.folded),
    terms,
  );
  if (matches.length === 0)
    return substringSnippet(
      text,
      terms.map((term) => term.text),
    );
  const first = bestWindow(
    matches.map((match) => match.from),
    words.length,
  );
  const last = Math.min(words.length, first + wordsShown) - 1;
  let shown = "";
  let position = first === 0 ? 0 : (words[first]?.start ?? 0);
  for (const match of matches) {
    if (match.from < first || match.to > last) continue;
    const start = words[match.from]?.start ?? 0;
    const end = words[match.to]?.end ?? 0;
    if (start < position) continue;
    shown += `${text.slice(position, start)}${matchStart}${text.slice(start, end)}${matchEnd}`;
    position = end;
  }
  const isCutAfter = last < words.length - 1;
  shown += text.slice(position, isCutAfter ? words[last]?.end : undefined);
  return `${first === 0 ? "" : "..."}${shown}${isCutAfter ? "..." : ""}`;
}

interface Match {
  readonly from: number;
  readonly to: number;
}

/** Where a term's words stand one after another; the last may be the beginning of a word. */
function findMatches(words: readonly string[], terms: readonly QueryTerm[]): readonly Match[] {
  const wanted = terms.map((term) => ({
    words: (term.text.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []).map(fold),
    isPrefix: term.kind === "word" && term.isPrefix,
  }));
  const matches: Match[] = [];
  for (let from = 0; from < words.length; from += 1) {
    const term = wanted.find((candidate) => standsAt(words, from, candidate));
    if (term !== undefined) matches.push({ from, to: from + term.words.length - 1 });
  }
  return matches;
}

function standsAt(
  words: readonly string[],
  from: number,
  term: { readonly words: readonly string[]; readonly isPrefix: boolean },
): boolean {
  if (term.words.length === 0) return false;
  return term.words.every((wanted, index) => {
    const word = words[from + index];
    const isLast = index === term.words.length - 1;
    return word !== undefined && (isLast && term.isPrefix ? word.startsWith(wanted) : word === wanted);
  });
}

/** The window with the most matches; of equal ones the first. */
function bestWindow(locations: readonly number[], wordCount: number): number {
  const latestStart = Math.max(0, wordCount - wordsShown);
  let best = 0;
  let most = 0;
  for (const location of locations) {
    const start = Math.min(latestStart, Math.max(0, location - wordsBefore));
    const count = locations.filter((other) => other >= start && other < start + wordsShown).length;
    if (count > most) {
      most = count;
      best = start;
    }
    if (most >= wordsShown / 2) break;
  }
  return best;
}

function fold(word: string): string {
  const isAscii = /^[\u0020-\u007e]*$/.test(word);
  return isAscii
    ? word.toLowerCase()
    : word
        .normalize("NFKD")
        .replace(/\p{M}+/gu, "")
        .normalize("NFC")
        .toLowerCase();
}
