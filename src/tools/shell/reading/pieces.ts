import { type Argument, hasUnknown, unknownText } from "../simple-command.ts";

/** A stretch of an expanded word, with what the shell still does to it. */
export interface Piece {
  readonly text: string;
  /** Quoted text is neither split nor looked up as a glob. */
  readonly isQuoted: boolean;
  /** Came from an unquoted expansion, so that blanks in it end a word. */
  readonly isSplit: boolean;
  /** A word ends before this piece, as between the elements of `"$@"`. */
  readonly isBreak: boolean;
  /** An empty list in quotes: it makes no word. */
  readonly isNothing: boolean;
  readonly sources: readonly string[];
}

/** All ways a word, or a part of one, may turn out; each is a sequence of pieces. */
export type Ways = readonly (readonly Piece[])[];

const maxWays = 24;

const plain = { isQuoted: false, isSplit: false, isBreak: false, isNothing: false, sources: [] } as const;

export const bare = (text: string): Piece => ({ ...plain, text });
export const quoted = (text: string): Piece => ({ ...plain, text, isQuoted: true });
export const split = (text: string, sources: readonly string[] = []): Piece => ({
  ...plain,
  text,
  isSplit: true,
  sources,
});
export const nothing: Piece = { ...plain, text: "", isQuoted: true, isNothing: true };

/** What an expansion gave: split where it stands bare, kept whole in quotes. */
export function expanded(text: string, isQuoted: boolean, sources: readonly string[] = []): Piece {
  return isQuoted ? { ...quoted(text), sources } : split(text, sources);
}

/** The elements of a list, one word each. */
export function listed(items: readonly string[], isQuoted: boolean): readonly Piece[] {
  if (items.length === 0) return [isQuoted ? nothing : split("")];
  return items.map((text, index) => ({ ...expanded(text, isQuoted), isBreak: index > 0 }));
}

/** Every combination of the ways of two parts; too many are one unknown. */
export function combine(left: Ways, right: Ways): Ways {
  if (left.length * right.length > maxWays) return [[split(unknownText, ["too many"])]];
  return left.flatMap((before) => right.map((after) => [...before, ...after]));
}

/** The text of one way, as an assignment or a here-document takes it: nothing is split. */
export function joined(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (piece.isBreak ? ` ${piece.text}` : piece.text)).join("");
}

export function sourcesOf(pieces: readonly Piece[]): readonly string[] {
  return [...new Set(pieces.flatMap((piece) => piece.sources))];
}

interface Field {
  text: string;
  hasContent: boolean;
  hasGlob: boolean;
  mayBeMany: boolean;
  sources: string[];
}

const blankField = (): Field => ({ text: "", hasContent: false, hasGlob: false, mayBeMany: false, sources: [] });

/** Splits one way into words. `separators` is the value of IFS. */
export function fieldsOf(pieces: readonly Piece[], separators: string): readonly Argument[] {
  const done: Field[] = [];
  let field = blankField();
  const end = (): void => {
    if (field.hasContent) done.push(field);
    field = blankField();
  };
  for (const piece of pieces) {
    if (piece.isBreak) end();
    if (piece.isNothing) continue;
    field.sources.push(...piece.sources);
    if (!piece.isSplit) {
      append(field, piece);
      continue;
    }
    const [first = "", ...rest] = splitText(piece.text, separators, field.hasContent);
    append(field, { ...piece, text: first });
    for (const text of rest) {
      end();
      append(field, { ...piece, text });
    }
  }
  end();
  return done.map(({ text, hasGlob, mayBeMany, sources }) => ({
    text,
    isKnown: !hasUnknown(text),
    hasGlob,
    mayBeMany,
    sources: [...new Set(sources)],
  }));
}

function append(field: Field, piece: Piece): void {
  field.text += piece.text;
  if (piece.isQuoted || piece.text !== "") field.hasContent = true;
  if (!piece.isQuoted && /[*?]|\[[^\]]+\]|[@+!]\(/.test(piece.text)) field.hasGlob = true;
  if (piece.isSplit && piece.text.includes(unknownText)) field.mayBeMany = true;
}

/**
 * The stretches between separators. An empty first stretch ends the word before; an empty last one lets the next
 * piece begin a word of its own.
 */
function splitText(text: string, separators: string, followsContent: boolean): readonly string[] {
  if (separators === "" || text === "") return [text];
  const blanks = escapeClass([...separators].filter((one) => /\s/.test(one)).join(""));
  const others = escapeClass([...separators].filter((one) => !/\s/.test(one)).join(""));
  const blank = blanks === "" ? "(?!)" : `[${blanks}]`;
  const source = others === "" ? `${blank}+` : `${blank}*[${others}]${blank}*|${blank}+`;
  const trimmed = followsContent ? text : text.replace(new RegExp(`^${blank}+`), "");
  return trimmed.split(new RegExp(source));
}

function escapeClass(text: string): string {
  return text.replace(/[\\\]^-]/g, "\\$&");
}
