import { type ArithmeticExpression, parse, type Word, type WordPart } from "unbash";
import {
  type Argument,
  hasUnknown,
  mayBeEmpty,
  unknownArgument,
  unknownName,
  unknownNumber,
  unknownText,
} from "../simple-command.ts";
import { evaluate } from "./arithmetic.ts";
import { expandBraces } from "./braces.ts";
import { type ExpandHost, type PartContext, separators } from "./expand-host.ts";
import { parameterWays } from "./parameters.ts";
import {
  bare,
  combine,
  expanded,
  fieldsOf,
  joined,
  nothing,
  type Piece,
  quoted,
  sourcesOf,
  type Ways,
} from "./pieces.ts";

/** The words one written word becomes, in every way it may turn out. */
export function expandWord(word: Word, host: ExpandHost): readonly (readonly Argument[])[] {
  const hasBraces = word.parts?.some((part) => part.type === "BraceExpansion") ?? false;
  // The parser takes an empty pair for text; inside a word bash opens a list with it.
  if (!hasBraces && !/.\{\}.*(?:,|\.\.).*\}/s.test(word.text)) return fieldWays(word, host);
  const texts = expandBraces(word.text);
  if (texts === undefined) return [[unknownArgument("braces")]];
  let ways: readonly (readonly Argument[])[] = [[]];
  for (const text of texts) {
    const one = reparsed(text);
    const next = one === undefined ? [[unknownArgument("braces")]] : fieldWays(one, host);
    ways =
      ways.length * next.length > 24
        ? [[unknownArgument("braces")]]
        : ways.flatMap((w) => next.map((n) => [...w, ...n]));
  }
  return ways;
}

/** The word as one text, as assignments, here-strings and case words take it. */
export function expandText(word: Word, host: ExpandHost): readonly Argument[] {
  return waysOf(word, host).map((pieces) => asArgument(pieces));
}

/** The text of a here-document or another run of parts inside quotes. */
export function expandParts(parts: readonly WordPart[], host: ExpandHost): Argument {
  const ways = contextOf(host, true).pieceWays(parts, true);
  return ways.length === 1 ? asArgument(ways[0] ?? []) : unknownArgument(...ways.flatMap(sourcesOf));
}

function asArgument(pieces: readonly Piece[]): Argument {
  const text = joined(pieces);
  return { text, isKnown: !hasUnknown(text), hasGlob: false, mayBeMany: false, sources: sourcesOf(pieces) };
}

function reparsed(text: string): Word | undefined {
  if (text === "") return { type: "Word", text: "", value: "", pos: 0, end: 0 };
  const [statement, ...more] = parse(`: ${text}`).commands;
  const command = statement?.command;
  if (more.length > 0 || command?.type !== "Command" || command.redirects.length > 0) return undefined;
  const [word, ...others] = command.args;
  return others.length === 0 && word?.type === "Word" ? word : undefined;
}

function fieldWays(word: Word, host: ExpandHost): readonly (readonly Argument[])[] {
  const ways = waysOf(word, host);
  const between = separators(host);
  const isSplit = ways.some((pieces) => pieces.some((piece) => piece.isSplit && piece.text !== ""));
  if (between === undefined) return ways.map((pieces) => fieldsOf(pieces.map(uncertain), " "));
  return ways.flatMap((pieces) => (isSplit ? between : [" "]).map((one) => fieldsOf(pieces, one)));
}

/** Where words end is not known when nobody knows what separates them. */
function uncertain(piece: Piece): Piece {
  return piece.isSplit && piece.text !== "" ? { ...piece, text: unknownText } : piece;
}

function contextOf(host: ExpandHost, isQuoted: boolean): PartContext {
  return {
    host,
    isQuoted,
    wordWays: (word) => waysOf(word, host),
    pieceWays: (parts, isInQuotes) => pieceWays(parts, contextOf(host, isInQuotes)),
  };
}

/** All ways a word may turn out, before it is split. */
function waysOf(word: Word, host: ExpandHost): Ways {
  const tilde = tildeOf(word.text, host);
  if (word.parts === undefined) {
    if (tilde === undefined) return [unescaped(word.text)];
    return [[quoted(tilde.text), ...unescaped(word.text.slice(tilde.length))]];
  }
  if (tilde === undefined) return pieceWays(word.parts, contextOf(host, false));
  const [first, ...rest] = word.parts;
  const after = first?.type === "Literal" ? unescaped(first.text.slice(tilde.length)) : [];
  return combine([[quoted(tilde.text), ...after]], pieceWays(rest, contextOf(host, false)));
}

function pieceWays(parts: readonly WordPart[], context: PartContext): Ways {
  let ways: Ways = [[]];
  for (const part of parts) ways = combine(ways, partWays(part, context));
  return ways;
}

function partWays(part: WordPart, context: PartContext): Ways {
  const { host, isQuoted } = context;
  switch (part.type) {
    case "Literal":
      return [isQuoted ? [quoted(part.value)] : unescaped(part.text)];
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [[quoted(part.value)]];
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.length === 0 ? [[quoted("")]] : context.pieceWays(part.parts, true).flatMap(withNone);
    case "SimpleExpansion":
    case "ParameterExpansion":
      return parameterWays(part, context);
    case "CommandExpansion": {
      const { text, sources } = host.substitute(part.script);
      return [[expanded(text, isQuoted, sources)]];
    }
    case "ArithmeticExpansion":
      return [[expanded(numberText(part.expression, host), isQuoted)]];
    case "ProcessSubstitution":
      return [[quoted(host.processSubstitution(part))]];
    case "Glob":
    case "ExtendedGlob":
      return globWays(part, context);
    case "BraceExpansion":
      return part.parts === undefined
        ? [[bare(part.text)]]
        : combine(combine([[bare("{")]], pieceWays(part.parts, context)), [[bare("}")]]);
  }
}

/** `"$x$@"`: where there are no elements and nothing else comes of it, quotes make no word, not an empty one. */
function withNone(pieces: readonly Piece[]): Ways {
  const isMaybeNone = pieces.some((piece) => piece.isNothing) && pieces.every((piece) => mayBeEmpty(piece.text));
  return isMaybeNone && pieces.length > 1 ? [pieces, [nothing]] : [pieces];
}

function globWays(part: Extract<WordPart, { type: "Glob" | "ExtendedGlob" }>, context: PartContext): Ways {
  const isPlain = part.parts === undefined || part.parts.every((one) => one.type === "Literal" || one.type === "Glob");
  if (isPlain) return [[context.isQuoted ? quoted(part.text) : bare(part.text)]];
  // What stands inside is read for what it runs; what it matches is anybody's guess.
  context.pieceWays(part.parts ?? [], true);
  return [[bare(`[${unknownName}]`)]];
}

/** Unquoted text: an escaped character stands for itself, also where it looks like a glob. */
function unescaped(text: string): readonly Piece[] {
  if (!text.includes("\\")) return [bare(text)];
  return [...text.matchAll(/\\([\s\S])|[^\\]+|\\$/g)].flatMap(([whole, escaped]) =>
    escaped === undefined ? [bare(whole)] : escaped === "\n" ? [] : [quoted(escaped)],
  );
}

/** A home folder written as `~`: what it stands for, and how much of the text it takes. */
function tildeOf(text: string, host: ExpandHost): { readonly text: string; readonly length: number } | undefined {
  const match = /^~([+-]|[A-Za-z_][\w.-]*)?(?=\/|$)/.exec(text);
  if (match === null) return undefined;
  const [whole, who] = match;
  if (who === undefined) {
    const [home] = host.state.get("HOME") ?? [];
    return { text: typeof home === "string" ? home : host.home, length: whole.length };
  }
  if (who === "+") return { text: host.state.folders[0] ?? unknownName, length: whole.length };
  return who === "root" ? { text: "/root", length: whole.length } : undefined;
}

/** The result of arithmetic as text. */
export function numberText(expression: ArithmeticExpression | undefined, host: ExpandHost): string {
  const value = evaluate(expression, {
    text: (word) => arithmeticText(word, host),
    assign: (name, result) => {
      if (/^[A-Za-z_]\w*$/.test(name)) host.state.set(name, [result === undefined ? unknownNumber : String(result)]);
    },
    visit: (one) => void host.substitute(one.script),
  });
  return value === undefined ? unknownNumber : String(value);
}

function arithmeticText(
  word: Extract<ArithmeticExpression, { type: "ArithmeticWord" }>,
  host: ExpandHost,
): string | undefined {
  if (word.parts !== undefined) {
    const ways = pieceWays(word.parts, contextOf(host, true));
    const texts = ways.map(joined);
    for (const text of texts) readWhatItRuns(text, host);
    const [only] = texts;
    return texts.length === 1 && only !== undefined && !hasUnknown(only) ? variableNumber(only, host) : undefined;
  }
  return variableNumber(word.value, host);
}

/** Arithmetic takes the value of a name as an expression again, substitutions in it included. */
function variableNumber(text: string, host: ExpandHost): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(text.trim())) return text;
  const values = host.state.get(text.trim());
  for (const value of values ?? [])
    for (const one of typeof value === "string" ? [value] : value) readWhatItRuns(one, host);
  if (values?.length === 0) return "";
  const [only] = values ?? [];
  return values?.length === 1 && typeof only === "string" && !/^[A-Za-z_]/.test(only) ? only : undefined;
}

function readWhatItRuns(text: string, host: ExpandHost): void {
  if (/\$\(|`/.test(text)) host.readNested(text);
}
