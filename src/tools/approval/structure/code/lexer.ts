import type { Language } from "../../../shell/programs/interpreters.ts";

/** Code with its comments gone and its texts taken out: each stands as `"n"`, its number among `texts`. */
export interface LexedCode {
  readonly code: string;
  readonly texts: readonly string[];
}

interface Family {
  readonly lineComment: readonly string[];
  readonly blockComment?: readonly [string, string];
  readonly quotes: readonly string[];
  /** Text between backquotes is run as a command. */
  readonly backquoteRuns?: boolean;
}

const hash: Family = { lineComment: ["#"], quotes: ['"""', "'''", '"', "'"] };
const slashes: Family = { lineComment: ["//"], blockComment: ["/*", "*/"], quotes: ['"', "'", "`"] };
const families: Readonly<Record<Language, Family>> = {
  python: hash,
  perl: { lineComment: ["#"], quotes: ['"', "'"], backquoteRuns: true },
  ruby: { lineComment: ["#"], quotes: ['"', "'"], backquoteRuns: true },
  javascript: slashes,
  php: { lineComment: ["//", "#"], blockComment: ["/*", "*/"], quotes: ['"', "'"], backquoteRuns: true },
  lua: { lineComment: ["--"], quotes: ['"', "'"] },
  awk: { lineComment: ["#"], quotes: ['"'] },
  sed: { lineComment: [], quotes: [] },
  editor: { lineComment: [], quotes: ['"', "'"] },
  database: { lineComment: ["--"], blockComment: ["/*", "*/"], quotes: ["'"] },
  other: { lineComment: [], quotes: ['"'] },
};

/** Takes code apart far enough to tell calls from texts; not a parser of any language. */
export function lex(source: string, language: Language): LexedCode {
  const family = families[language];
  const texts: string[] = [];
  let code = "";
  let at = 0;
  while (at < source.length) {
    const comment = family.lineComment.find((mark) => source.startsWith(mark, at));
    if (comment !== undefined && !isInWord(source, at, comment)) {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
      continue;
    }
    if (family.blockComment !== undefined && source.startsWith(family.blockComment[0], at)) {
      const end = source.indexOf(family.blockComment[1], at + 2);
      at = end < 0 ? source.length : end + 2;
      continue;
    }
    if (family.backquoteRuns === true && source[at] === "`") {
      code += " `run` ";
      const end = source.indexOf("`", at + 1);
      at = end < 0 ? source.length : end + 1;
      continue;
    }
    const quote = family.quotes.find((mark) => source.startsWith(mark, at));
    if (quote === undefined) {
      code += source[at];
      at += 1;
      continue;
    }
    const end = textEnd(source, at + quote.length, quote);
    texts.push(source.slice(at + quote.length, end));
    code += `"${texts.length - 1}"`;
    at = end + quote.length;
  }
  return { code, texts };
}

/** `$#array` and `a#b` hold no comment. */
function isInWord(source: string, at: number, mark: string): boolean {
  return mark === "#" && at > 0 && /[\w$@]/.test(source[at - 1] ?? "");
}

function textEnd(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source.startsWith(quote, at)) return at;
  }
  return source.length;
}
