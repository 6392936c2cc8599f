import { lineTrimmed } from "./line-strategies.ts";
import { mapText } from "./mapped-text.ts";
import { type Match, strategy } from "./strategy.ts";

/** The very same characters. */
export const exact = strategy("exact", (content, pattern) => findAll(content, pattern));

/** Runs of spaces and tabs count as one space; blanks behind the match go with it. */
export const whitespaceNormalized = strategy("whitespace_normalized", (content, pattern) => {
  const flat = mapText(content, /[ \t]+/g, () => " ");
  const wanted = pattern.replace(/[ \t]+/g, " ");
  return findAll(flat.text, wanted).map((match) => {
    const end = flat.toOriginal(match.end);
    const trailing = wanted.endsWith(" ") ? 0 : (/^[ \t]+(?=\n|$)/.exec(content.slice(end))?.[0].length ?? 0);
    return { start: flat.toOriginal(match.start), end: end + trailing };
  });
});

/** The model wrote `\n` as two characters. */
export const escapeNormalized = strategy("escape_normalized", (content, pattern) => {
  const unescaped = pattern.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll("\\r", "\r");
  return unescaped === pattern ? [] : findAll(content, unescaped);
});

const typography = /[\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2013\u2014\u2026\u00a0]/g;

function plainTypography(piece: string): string {
  switch (piece) {
    case "\u2014":
      return "--";
    case "\u2013":
      return "-";
    case "\u2026":
      return "...";
    case "\u00a0":
      return " ";
    default:
      return /[\u2018-\u201b]/.test(piece) ? "'" : '"';
  }
}

/** Curly quotes, dashes, the ellipsis and no-break spaces count as their plain forms. */
export const unicodeNormalized = strategy("unicode_normalized", (content, pattern) => {
  const plain = mapText(content, typography, plainTypography);
  const wanted = pattern.replace(typography, plainTypography);
  const found = findAll(plain.text, wanted);
  const matches = found.length > 0 ? found : lineTrimmed.find(plain.text, wanted);
  return matches.map((match) => ({ start: plain.toOriginal(match.start), end: plain.toOriginal(match.end) }));
});

/** Overlapping places count, because the model has to say which it means. */
function findAll(content: string, wanted: string): readonly Match[] {
  if (wanted === "") return [];
  const matches: Match[] = [];
  for (let at = content.indexOf(wanted); at >= 0; at = content.indexOf(wanted, at + 1)) {
    matches.push({ start: at, end: at + wanted.length });
  }
  return matches;
}
