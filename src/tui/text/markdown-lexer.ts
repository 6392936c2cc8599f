import { Marked } from "marked";
import type { Lexer } from "./markdown.ts";

/** In one row: `$$x$$`, `\(x\)`, `\[x\]`, and `$x$` where neither end has a space and no digit follows (`$5 and $6` are prices). */
const inlineFormula = /^(?:\$\$[^\n]+?\$\$|\\\([^\n]+?\\\)|\\\[[^\n]+?\\\]|\$(?![\s$])[^\n$]*[^\s$\\]\$(?!\d))/;

/** Over several rows, with the marks on rows of their own. */
const formulaBlock = /^ {0,3}(?:\\\[[ \t]*\n[\s\S]+?\n {0,3}\\\]|\$\$[ \t]*\n[\s\S]+?\n {0,3}\$\$)[ \t]*(?:\n|$)/;

/** Reads GitHub's Markdown; formulas stay as the model wrote them, since backslash, `_` and `*` mean other things there. */
export function markdownLexer(): Lexer {
  const marked = new Marked({
    gfm: true,
    extensions: [
      {
        name: "formula-block",
        level: "block",
        start: (source) => /(?:^|\n) {0,3}(?:\\\[|\$\$)[ \t]*\n/.exec(source)?.index,
        tokenizer: (source) => token("formula-block", formulaBlock.exec(source)?.[0]),
      },
      {
        name: "formula",
        level: "inline",
        start: (source) => /\$|\\[([]/.exec(source)?.index,
        tokenizer: (source) => token("formula", inlineFormula.exec(source)?.[0]),
      },
    ],
  });
  return (text) => marked.lexer(text);
}

function token(type: string, raw: string | undefined): { type: string; raw: string } | undefined {
  return raw === undefined ? undefined : { type, raw };
}
