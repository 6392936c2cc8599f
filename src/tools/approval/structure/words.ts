import type { Word, WordPart } from "unbash";
import { type Argument, unknownText } from "./simple-command.ts";

/** Variables known from the same command line, besides what every shell has. */
export type Variables = ReadonlyMap<string, string>;

/** Stands for a place where the shell splits a word. */
const splitMark = "\u0001";
/** Stands for an unquoted glob character, so that it can be told from a quoted one. */
const globMark = "\u0002";

/** What a command substitution prints, where that is plain (`$(echo rm)`); undefined otherwise. */
export type Substitute = (part: Extract<WordPart, { type: "CommandExpansion" }>) => string | undefined;

/** The words one written word becomes: quotes removed, known variables filled in, braces expanded, `$IFS` splitting. */
export function expandWord(word: Word, variables: Variables, substitute: Substitute): readonly Argument[] {
  const texts = word.parts === undefined ? [word.value] : joinParts(word.parts, { variables, substitute });
  return texts.flatMap((text) =>
    text
      .split(splitMark)
      .filter((field, _index, all) => field !== "" || all.length === 1)
      .map(
        (field): Argument => ({
          text: field.replaceAll(globMark, ""),
          isKnown: !field.includes(unknownText),
          hasGlob: field.includes(globMark),
        }),
      ),
  );
}

interface Scope {
  readonly variables: Variables;
  readonly substitute: Substitute;
}

const maxBraceWords = 64;

function joinParts(parts: readonly WordPart[], scope: Scope): readonly string[] {
  let texts = [""];
  for (const part of parts) {
    const pieces = partTexts(part, scope);
    texts = texts.flatMap((text) => pieces.map((piece) => text + piece)).slice(0, maxBraceWords);
  }
  return texts;
}

function partTexts(part: WordPart, scope: Scope): readonly string[] {
  switch (part.type) {
    case "Literal":
      return [part.value];
    case "Glob":
      return [`${globMark}${part.text}`];
    case "ExtendedGlob":
      return [`${globMark}${part.text}`];
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [part.value];
    case "DoubleQuoted":
    case "LocaleString":
      return [
        joinParts(part.parts as readonly WordPart[], scope)
          .join("")
          .replaceAll(splitMark, " "),
      ];
    case "SimpleExpansion":
      return [variableText(part.text.slice(1), scope)];
    case "ParameterExpansion":
      return [parameterText(part, scope)];
    case "CommandExpansion": {
      const printed = scope.substitute(part);
      return [printed === undefined ? unknownText : printed.trimEnd().replace(/\s+/g, splitMark)];
    }
    case "ArithmeticExpansion":
      return [unknownText];
    case "ProcessSubstitution":
      return [part.text];
    case "BraceExpansion":
      return braceWords(part.text) ?? [part.text];
  }
}

function variableText(name: string, scope: Scope): string {
  if (name === "HOME") return "~";
  if (name === "IFS") return splitMark;
  if (name === "@" || name === "*" || /^\d$/.test(name)) return "";
  const value = scope.variables.get(name);
  return value === undefined ? unknownText : value.replace(/\s+/g, splitMark);
}

function parameterText(part: Extract<WordPart, { type: "ParameterExpansion" }>, scope: Scope): string {
  if (part.prefix !== undefined || part.index !== undefined) return unknownText;
  const value = variableText(part.parameter, scope);
  if (part.operation === undefined) return value;
  if (part.operation.type === "Default") {
    const isSet = value !== unknownText;
    const takesOperand = part.operation.operator.includes("+") ? isSet : !isSet;
    const operand = (): string =>
      expandWord(
        part.operation?.type === "Default" ? part.operation.operand : emptyWord,
        scope.variables,
        scope.substitute,
      )
        .map((one) => one.text)
        .join(" ");
    return takesOperand ? operand() : value;
  }
  if (part.operation.type === "Slice" && value !== unknownText)
    return sliced(value, part.operation.offset.text, part.operation.length?.text);
  return unknownText;
}

const emptyWord: Word = { type: "Word", text: "", value: "", pos: 0, end: 0 };

function sliced(value: string, offset: string, length: string | undefined): string {
  const from = Number(offset.trim());
  const count = length === undefined ? undefined : Number(length.trim());
  if (!Number.isInteger(from) || (count !== undefined && !Number.isInteger(count))) return unknownText;
  const start = from < 0 ? Math.max(0, value.length + from) : from;
  return count === undefined
    ? value.slice(start)
    : count < 0
      ? value.slice(start, count)
      : value.slice(start, start + count);
}

/** `{a,b}` without nesting; ranges are left as they are. */
function braceWords(text: string): readonly string[] | undefined {
  const inner = /^\{([^{}]*,[^{}]*)\}$/.exec(text)?.[1];
  return inner?.split(",").map((piece) => unescaped(piece.replace(/^["']|["']$/g, "")));
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, "$1");
}
