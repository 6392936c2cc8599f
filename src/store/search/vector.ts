import { cjkRuns, hasCjk } from "./cjk.ts";
import type { QueryTerm, QueryToken } from "./query.ts";

/**
 * Words and positions for PostgreSQL, made here and not by the server: so both databases cut text the
 * same way, and Chinese, Japanese and Korean text is found by pairs of characters in the same index.
 */
const maxIndexedCharacters = 200_000;
const maxPosition = 16_383;
const maxPositionsPerLexeme = 255;
const maxLexemeLength = 100;

/** A text as a `tsvector` literal. */
export function searchVector(text: string): string {
  const locations = new Map<string, number[]>();
  for (const [index, lexeme] of lexemes(text.slice(0, maxIndexedCharacters)).entries()) {
    const list = locations.get(lexeme) ?? [];
    if (list.length < maxPositionsPerLexeme) list.push(Math.min(index + 1, maxPosition));
    locations.set(lexeme, list);
  }
  return [...locations].map(([lexeme, list]) => `${quoted(lexeme)}:${[...new Set(list)].join(",")}`).join(" ");
}

/**
 * The query as a `tsquery`; undefined when nothing is left of it. Words side by side bind tighter than
 * NOT, NOT tighter than AND, AND tighter than OR, as in SQLite.
 */
export function searchQuery(tokens: readonly QueryToken[]): string | undefined {
  return joined(split(tokens, "OR"), "|", (alternative) =>
    joined(split(alternative, "AND"), "&", (conjunct) => {
      const [first, ...excluded] = split(conjunct, "NOT").map((group) =>
        joined(
          group.map((term) => [term]),
          "&",
          termQuery,
        ),
      );
      const wanted = first ?? undefined;
      const unwanted = excluded.filter((part): part is string => part !== undefined).map((part) => `!(${part})`);
      if (wanted === undefined) return undefined;
      return [wanted, ...unwanted].join(" & ");
    }),
  );
}

type Group = readonly QueryToken[];

function split(tokens: Group, operator: "AND" | "OR" | "NOT"): readonly Group[] {
  const groups: QueryToken[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "operator" && token.operator === operator) groups.push([]);
    else groups.at(-1)?.push(token);
  }
  return groups;
}

function joined(
  groups: readonly Group[],
  glue: string,
  render: (group: Group) => string | undefined,
): string | undefined {
  const parts = groups.map(render).filter((part): part is string => part !== undefined);
  if (parts.length === 0) return undefined;
  return parts.length === 1 ? parts[0] : parts.map((part) => `(${part})`).join(` ${glue} `);
}

function termQuery(group: Group): string | undefined {
  const [term] = group;
  if (term === undefined || term.kind === "operator") return undefined;
  const words = queryLexemes(term);
  if (words.length === 0) return undefined;
  return words.map((word) => `${quoted(word.lexeme)}${word.isPrefix ? ":*" : ""}`).join(" <-> ");
}

function queryLexemes(term: QueryTerm): readonly { readonly lexeme: string; readonly isPrefix: boolean }[] {
  const isPrefix = term.kind === "word" && term.isPrefix;
  const all = lexemes(term.text);
  const endsInCjk = hasCjk(Array.from(term.text).at(-1) ?? "");
  // The last character of a run stands alone in the index only where the text ends a run there; look for the pairs.
  const last = all.at(-1);
  const isSingle = cjkRuns(term.text).some((run) => Array.from(run).length === 1);
  const kept = endsInCjk && all.length > 1 && !isSingle ? all.slice(0, -1) : all;
  return kept.map((lexeme, index) => ({
    lexeme,
    isPrefix: (isPrefix && index === kept.length - 1) || (endsInCjk && isSingle && lexeme === last),
  }));
}

function lexemes(text: string): readonly string[] {
  const folded = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .normalize("NFC")
    .toLowerCase();
  const words = folded.match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];
  return words.flatMap((word) => (hasCjk(word) ? cutMixed(word) : [word.slice(0, maxLexemeLength)]));
}

/** `abc记忆` is a word and pairs. */
function cutMixed(word: string): readonly string[] {
  const runs = new Set(cjkRuns(word));
  const pieces = word
    .split(new RegExp(`(${[...runs].map(escapeRegExp).join("|")})`, "u"))
    .filter((piece) => piece !== "");
  return pieces.flatMap((piece) => {
    if (!runs.has(piece)) return [piece.slice(0, maxLexemeLength)];
    const characters = Array.from(piece);
    return characters.map((character, index) => character + (characters[index + 1] ?? ""));
  });
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function quoted(lexeme: string): string {
  return `'${lexeme.replace(/\\/g, "\\\\").replace(/'/g, "''")}'`;
}
