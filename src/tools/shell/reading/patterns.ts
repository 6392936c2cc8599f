import type { Piece } from "./pieces.ts";

/** The source of a regular expression for a shell pattern; quoted stretches stand for themselves. */
export function patternSource(pieces: readonly Piece[], isLazy: boolean): string {
  return pieces.map((piece) => (piece.isQuoted ? escapeText(piece.text) : globSource(piece.text, isLazy))).join("");
}

/** A pattern without quotes, as the whole of what it must match. */
export function globExpression(pattern: string): RegExp {
  return compiled(`^(?:${globSource(pattern, false)})$`) ?? /(?!)/;
}

/** Undefined for a pattern no expression can be made of. */
export function compiled(source: string, flags = "s"): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

function globSource(pattern: string, isLazy: boolean): string {
  let source = "";
  for (let at = 0; at < pattern.length; at += 1) {
    const here = pattern[at] ?? "";
    if (here === "\\") {
      at += 1;
      source += escapeText(pattern[at] ?? "\\");
    } else if (here === "*") source += isLazy ? ".*?" : ".*";
    else if (here === "?") source += ".";
    else if (here === "[") {
      const end = classEnd(pattern, at);
      source += end < 0 ? "\\[" : classSource(pattern.slice(at + 1, end));
      if (end >= 0) at = end;
    } else source += escapeText(here);
  }
  return source;
}

function classEnd(pattern: string, open: number): number {
  const from = open + (/^[!^]?\]/.exec(pattern.slice(open + 1))?.[0].length ?? 0) + 1;
  let at = from;
  while (at < pattern.length) {
    if (pattern.startsWith("[:", at)) at = pattern.indexOf(":]", at) + 1;
    else if (pattern[at] === "]") return at;
    if (at <= 0) return -1;
    at += 1;
  }
  return -1;
}

const namedClasses: Readonly<Record<string, string>> = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "A-Za-z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`{-~",
  xdigit: "0-9A-Fa-f",
};

function classSource(inner: string): string {
  const isNegated = /^[!^]/.test(inner);
  const body = (isNegated ? inner.slice(1) : inner)
    .replace(/[\\\][^]/g, (one) => `\\${one}`)
    .replace(/\\\[:(\w+):\\\]/g, (_, name: string) => namedClasses[name] ?? "");
  return `[${isNegated ? "^" : ""}${body}]`;
}
