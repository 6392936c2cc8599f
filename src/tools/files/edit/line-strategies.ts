import { similarity } from "#foundation/text/text";
import { linesOf, patternLines } from "./lines.ts";
import { type Match, type Strategy, strategy } from "./strategy.ts";

type SameLine = (line: string, wanted: string, position: { readonly index: number; readonly last: number }) => boolean;

/** Every line alike after trimming both ends. */
export const lineTrimmed = byLines("line_trimmed", (line, wanted) => line.trim() === wanted.trim());

/** Every line alike but for its indentation. */
export const indentationFlexible = byLines(
  "indentation_flexible",
  (line, wanted) => line.trimStart() === wanted.trimStart(),
);

/** First and last line alike after trimming, those between exactly. */
export const trimmedBoundary = byLines("trimmed_boundary", (line, wanted, { index, last }) =>
  index === 0 || index === last ? line.trim() === wanted.trim() : line === wanted,
);

const loneCandidateShare = 0.5;
const severalCandidatesShare = 0.7;

/** First and last line alike, and the middle similar: one candidate may differ more than several. */
export const blockAnchor = strategy(
  "block_anchor",
  (content, pattern) => {
    const { lines: wanted } = patternLines(pattern);
    if (wanted.length < 2) return [];
    const isAnchor: SameLine = (line, request, { index, last }) =>
      (index > 0 && index < last) || line.trim() === request.trim();
    const candidates = windows(content, pattern, isAnchor);
    const needed = candidates.length > 1 ? severalCandidatesShare : loneCandidateShare;
    const middle = wanted.slice(1, -1).join("\n");
    return candidates.filter((match) => {
      const lines = content.slice(match.start, match.end).replace(/\n$/, "").split("\n");
      return middle === "" || similarity(lines.slice(1, -1).join("\n"), middle) >= needed;
    });
  },
  { reindents: true, isSingleOnly: true },
);

const alikeShare = 0.5;
const alikeLine = 0.8;

/**
 * At least half of the lines nearly alike. Not for a single line: there "nearly alike" would turn
 * `limit = 2` into what was meant for `limit = 3`.
 */
export const contextAware = strategy(
  "context_aware",
  (content, pattern) => {
    const { lines: wanted } = patternLines(pattern);
    if (wanted.length < 2) return [];
    const trimmed = wanted.map((line) => line.trim());
    const known = new Map<string, boolean>();
    const isAlike = (line: string, request: string): boolean => {
      if (line === request) return true;
      if (line === "" || request === "") return false;
      // The ratio of lengths alone bounds the similarity; most lines fall out here.
      const shorter = Math.min(line.length, request.length);
      if ((2 * shorter) / (line.length + request.length) < alikeLine) return false;
      const key = `${line}\u0000${request}`;
      const seen = known.get(key);
      if (seen !== undefined) return seen;
      const answer = similarity(line, request) >= alikeLine;
      known.set(key, answer);
      return answer;
    };
    return allWindows(content, pattern).filter(({ lines }) => {
      const alike = lines.filter((line, index) => isAlike(line.trim(), trimmed[index] ?? "")).length;
      return alike / wanted.length >= alikeShare;
    });
  },
  { reindents: true, isSingleOnly: true },
);

function byLines(name: string, isSame: SameLine): Strategy {
  return strategy(name, (content, pattern) => windows(content, pattern, isSame), { reindents: true });
}

/** The stretches of lines that match the pattern line by line. */
function windows(content: string, pattern: string, isSame: SameLine): readonly Match[] {
  const { lines: wanted, endsWithNewline } = patternLines(pattern);
  const { lines, starts } = linesOf(content);
  const last = wanted.length - 1;
  const matches: Match[] = [];
  for (let from = 0; from + wanted.length <= lines.length; from += 1) {
    if (!wanted.every((request, index) => isSame(lines[from + index] ?? "", request, { index, last }))) continue;
    matches.push(matchOf({ lines, starts }, from, { count: wanted.length, endsWithNewline }));
  }
  return matches;
}

function allWindows(content: string, pattern: string): readonly (Match & { readonly lines: readonly string[] })[] {
  const { lines: wanted, endsWithNewline } = patternLines(pattern);
  const { lines, starts } = linesOf(content);
  const found: (Match & { readonly lines: readonly string[] })[] = [];
  for (let from = 0; from + wanted.length <= lines.length; from += 1) {
    const match = matchOf({ lines, starts }, from, { count: wanted.length, endsWithNewline });
    found.push({ ...match, lines: lines.slice(from, from + wanted.length) });
  }
  return found;
}

function matchOf(
  content: { readonly lines: readonly string[]; readonly starts: readonly number[] },
  from: number,
  window: { readonly count: number; readonly endsWithNewline: boolean },
): Match {
  const lastLine = from + window.count - 1;
  const end = (content.starts[lastLine] ?? 0) + (content.lines[lastLine]?.length ?? 0);
  const hasNewline = lastLine + 1 < content.lines.length;
  return { start: content.starts[from] ?? 0, end: window.endsWithNewline && hasNewline ? end + 1 : end };
}
