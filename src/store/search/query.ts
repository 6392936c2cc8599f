/**
 * What a person types, as a full-text query. Rules:
 *
 * 1. Control characters are spaces. `"..."` is a phrase; a quote without a partner is a space; a phrase
 *    without a letter or digit is nothing.
 * 2. Elsewhere white space and `+ { } ( ) ^` separate words, and so does a `*` inside a word.
 * 3. A word loses what is not a letter, digit, `_` or non-ASCII at both ends. A `*` directly at its end
 *    makes it a prefix.
 * 4. `AND`, `OR` and `NOT`, exactly so, are operators.
 * 5. A word with any other character inside, or a word that only looks like an operator, is quoted.
 * 6. Operators at the ends go; of several in a row `NOT` stays, else the first.
 *
 * No input makes the full-text engine report a syntax error.
 */
type QueryOperator = "AND" | "OR" | "NOT";

export type QueryTerm =
  | { readonly kind: "phrase"; readonly text: string }
  | { readonly kind: "word"; readonly text: string; readonly isQuoted: boolean; readonly isPrefix: boolean };

export type QueryToken = QueryTerm | { readonly kind: "operator"; readonly operator: QueryOperator };

const maxQueryLength = 2_000;
/** The engine limits the depth of an expression; no person types this many words. */
const maxTerms = 40;

export function parseQuery(input: string): readonly QueryToken[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be replaced
  const cleaned = input.slice(0, maxQueryLength).replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
  const tokens: QueryToken[] = [];
  for (const piece of splitPhrases(cleaned)) {
    if (piece.isPhrase) pushPhrase(tokens, piece.text);
    else for (const word of splitWords(piece.text)) pushWord(tokens, word);
  }
  return tidyOperators(limitTerms(tokens));
}

export function termsOf(tokens: readonly QueryToken[]): readonly QueryTerm[] {
  return tokens.filter((token): token is QueryTerm => token.kind !== "operator");
}

export function usesOr(tokens: readonly QueryToken[]): boolean {
  return tokens.some((token) => token.kind === "operator" && token.operator === "OR");
}

/** The terms that must occur: those not behind a NOT. */
export function wantedTerms(tokens: readonly QueryToken[]): readonly QueryTerm[] {
  const wanted: QueryTerm[] = [];
  let isExcluded = false;
  for (const token of tokens) {
    if (token.kind === "operator") isExcluded = token.operator === "NOT";
    else if (!isExcluded) wanted.push(token);
  }
  return wanted;
}

/** The query in the syntax of SQLite's FTS5; empty when nothing is left to look for. */
export function renderFts5(tokens: readonly QueryToken[]): string {
  return tokens.map(renderToken).join(" ");
}

function renderToken(token: QueryToken): string {
  switch (token.kind) {
    case "operator":
      return token.operator;
    case "phrase":
      return `"${token.text}"`;
    case "word":
      return `${token.isQuoted ? `"${token.text}"` : token.text}${token.isPrefix ? "*" : ""}`;
  }
}

function splitPhrases(text: string): readonly { readonly text: string; readonly isPhrase: boolean }[] {
  const parts = text.split('"');
  // An even number of parts means one quote has no partner: the last one.
  if (parts.length % 2 === 0) {
    const last = parts.pop() ?? "";
    parts.push(`${parts.pop() ?? ""} ${last}`);
  }
  return parts.map((part, index) => ({ text: part, isPhrase: index % 2 === 1 }));
}

function splitWords(text: string): readonly string[] {
  return text
    .split(/[\s+{}()^]+/u)
    .flatMap((word) => word.replace(/^\*+/, "").split(/\*+(?=[^*])/u))
    .filter((word) => word !== "");
}

function pushPhrase(tokens: QueryToken[], text: string): void {
  const collapsed = text.replace(/\s+/gu, " ").trim();
  if (hasLetterOrDigit(collapsed)) tokens.push({ kind: "phrase", text: collapsed });
}

function pushWord(tokens: QueryToken[], word: string): void {
  const bare = word.replace(/\*+$/, "");
  const hasStar = bare !== word;
  const core = bare.replace(/^[^\p{L}\p{N}_\u0080-\u{10ffff}]+|[^\p{L}\p{N}_\u0080-\u{10ffff}]+$/gu, "");
  if (!hasLetterOrDigit(core)) return;
  if (word === "AND" || word === "OR" || word === "NOT") {
    tokens.push({ kind: "operator", operator: word });
    return;
  }
  const isReserved = core === "AND" || core === "OR" || core === "NOT";
  const isPlain = /^[\p{L}\p{N}_\u0080-\u{10ffff}]+$/u.test(core);
  tokens.push({ kind: "word", text: core, isQuoted: isReserved || !isPlain, isPrefix: hasStar && bare.endsWith(core) });
}

function hasLetterOrDigit(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function limitTerms(tokens: readonly QueryToken[]): readonly QueryToken[] {
  let terms = 0;
  return tokens.filter((token) => {
    if (token.kind !== "operator") terms += 1;
    return terms <= maxTerms;
  });
}

function tidyOperators(tokens: readonly QueryToken[]): readonly QueryToken[] {
  const tidy: QueryToken[] = [];
  let waiting: QueryOperator | undefined;
  for (const token of tokens) {
    if (token.kind === "operator") {
      if (tidy.length > 0 && (waiting === undefined || token.operator === "NOT")) waiting = token.operator;
      continue;
    }
    if (waiting !== undefined) tidy.push({ kind: "operator", operator: waiting });
    waiting = undefined;
    tidy.push(token);
  }
  return tidy;
}
