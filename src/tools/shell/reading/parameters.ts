import type { Word, WordPart } from "unbash";
import { hasUnknown, mayBeEmpty, unknownName, unknownNumber, unknownText } from "../simple-command.ts";
import { type ExpandHost, type PartContext, separators } from "./expand-host.ts";
import { compiled, patternSource } from "./patterns.ts";
import { expanded, joined, listed, type Piece, quoted, split, type Ways } from "./pieces.ts";
import type { Value } from "./state.ts";

type ParameterPart = Extract<WordPart, { type: "SimpleExpansion" | "ParameterExpansion" }>;
type FullPart = Extract<WordPart, { type: "ParameterExpansion" }>;

/** What a parameter holds: one text, a list (`$@`, `${a[*]}`), nothing at all, or nobody knows. */
type Held =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "list";
      readonly items: readonly string[];
      readonly isStar: boolean;
      readonly first: 0 | 1;
      /** A text in the clothes of a list: `${x[@]:1}` cuts the text. */
      readonly isText?: boolean;
    }
  | { readonly kind: "unset" }
  | {
      readonly kind: "unknown";
      readonly source: string;
      /** No word, or many, also in quotes. */
      readonly isList?: boolean;
    };

/** All ways `$x` or `${x…}` may turn out. */
export function parameterWays(part: ParameterPart, context: PartContext): Ways {
  if (part.type === "SimpleExpansion") {
    return lookUp(part.text.slice(1), undefined, context).map((held) => show(held, context));
  }
  return fullWays(part, context);
}

function fullWays(part: FullPart, context: PartContext): Ways {
  const { host } = context;
  if (part.operation?.type === "Names") return [listed(host.state.names(part.parameter), context.isQuoted)];
  let held = lookUp(part.parameter, part.index, context);
  if (part.prefix === "#") return [[expanded(lengthOf(held), context.isQuoted)]];
  if (part.prefix === "!") {
    if (part.index !== undefined && isWhole(part.index)) return [[expanded(unknownName, context.isQuoted)]];
    held = held.flatMap((one) => pointedTo(one, context));
  }
  const { operation } = part;
  if (operation === undefined) return held.map((one) => show(one, context));
  if (operation.type === "Default") return held.flatMap((one) => defaulted(one, { part, operation }, context));
  if (operation.type === "Transform" && operation.operand.value === "P")
    for (const one of held) {
      if (one.kind === "text") host.readNested(one.text);
      // A prompt may hold commands: one that nobody knows is a script that nobody knows.
      if (one.kind === "unknown") host.readNested("$(eval $_)");
    }
  const change = changeOf(operation, context);
  return held.map((one) => show(changed(one, change), context));
}

function isWhole(index: Word): boolean {
  return index.text === "@" || index.text === "*";
}

/** Everything a name may hold at this point. */
function lookUp(name: string, index: Word | undefined, context: PartContext): readonly Held[] {
  const { host } = context;
  const special = specialParameter(name, host);
  if (special !== undefined) return [special];
  const values = host.state.get(name);
  if (index !== undefined && !isWhole(index)) context.wordWays(index);
  if (values === undefined) return [{ kind: "unknown", source: `$${name}`, isList: index?.text === "@" }];
  if (values.length === 0) return [{ kind: "unset" }];
  return values.flatMap((value) => element(value, index, context));
}

function specialParameter(name: string, { state }: ExpandHost): Held | undefined {
  if (name === "@" || name === "*")
    return state.positional === undefined
      ? { kind: "unknown", source: `$${name}`, isList: name === "@" }
      : { kind: "list", items: state.positional, isStar: name === "*", first: 1 };
  if (name === "#")
    return { kind: "text", text: state.positional === undefined ? unknownNumber : String(state.positional.length) };
  if (name === "?" || name === "$" || name === "!") return { kind: "text", text: unknownNumber };
  if (name === "-" || name === "_") return { kind: "unknown", source: `$${name}` };
  if (name === "0") return { kind: "text", text: unknownName };
  if (!/^\d+$/.test(name)) return undefined;
  if (state.positional === undefined) return { kind: "unknown", source: `$${name}` };
  const text = state.positional[Number(name) - 1];
  return text === undefined ? { kind: "unset" } : { kind: "text", text };
}

function element(value: Value, index: Word | undefined, context: PartContext): readonly Held[] {
  const items = typeof value === "string" ? [value] : value;
  if (index === undefined) {
    const [first] = items;
    return [first === undefined ? { kind: "unset" } : { kind: "text", text: first }];
  }
  if (isWhole(index))
    return [{ kind: "list", items, isStar: index.text === "*", first: 0, isText: typeof value === "string" }];
  const at = Number(indexText(index, context));
  if (!Number.isInteger(at)) return items.map((text) => ({ kind: "text", text }));
  const text = items.at(at);
  return [text === undefined ? { kind: "unset" } : { kind: "text", text }];
}

function indexText(index: Word, context: PartContext): string {
  const [only = [], ...more] = context.wordWays(index);
  const text = joined(only);
  if (more.length > 0 || hasUnknown(text)) return "unknown";
  if (!/^[A-Za-z_]\w*$/.test(text)) return text;
  const [value] = context.host.state.get(text) ?? [];
  return typeof value === "string" ? value : "unknown";
}

/** `${!x}`: the parameter whose name x holds. */
function pointedTo(held: Held, context: PartContext): readonly Held[] {
  if (held.kind !== "text" || hasUnknown(held.text)) return [{ kind: "unknown", source: "indirection" }];
  const match = /^(\w+|[@*#?$!-])(?:\[([@*]|\d+)\])?$/.exec(held.text);
  if (match?.[1] === undefined) {
    context.host.readNested(held.text);
    return [{ kind: "unknown", source: "indirection" }];
  }
  const index = match[2];
  return lookUp(
    match[1],
    index === undefined ? undefined : { type: "Word", text: index, value: index, pos: 0, end: 0 },
    context,
  );
}

function lengthOf(held: readonly Held[]): string {
  const [only] = held;
  if (held.length !== 1 || only === undefined) return unknownNumber;
  if (only.kind === "list") return String(only.items.length);
  if (only.kind === "unset") return "0";
  return only.kind === "text" && !hasUnknown(only.text) ? String([...only.text].length) : unknownNumber;
}

function show(held: Held, { isQuoted, host }: PartContext): readonly Piece[] {
  switch (held.kind) {
    case "text":
      return [expanded(held.text, isQuoted)];
    case "unset":
      return [expanded("", isQuoted)];
    case "unknown":
      return [expanded(unknownText, isQuoted && held.isList !== true, [held.source])];
    case "list":
      return isQuoted && held.isStar ? [quoted(held.items.join(firstSeparator(host)))] : listed(held.items, isQuoted);
  }
}

/** What stands between the elements of `"$*"`. */
function firstSeparator(host: ExpandHost): string {
  const [only, ...more] = separators(host) ?? [];
  return only === undefined || more.length > 0 ? unknownText : only.slice(0, 1);
}

type DefaultOperation = Extract<NonNullable<FullPart["operation"]>, { type: "Default" }>;

function defaulted(
  held: Held,
  { part, operation }: { readonly part: FullPart; readonly operation: DefaultOperation },
  context: PartContext,
): Ways {
  const { operator } = operation;
  const own: Ways = [show(held, context)];
  const nothing: Ways = [[expanded("", context.isQuoted)]];
  const isMissing = missing(held, operator.startsWith(":"));
  const kind = operator.at(-1);
  if (kind === "?") {
    operandWays(operation.operand, context);
    return own;
  }
  if (kind === "+") return isMissing === true ? nothing : isMissing === false ? operand() : [...nothing, ...operand()];
  if (isMissing === false) return own;
  const other = operand();
  if (kind === "=")
    context.host.state.set(
      part.parameter,
      other.map((pieces) => joined(pieces)),
    );
  return isMissing === true ? other : [...other, ...own];

  function operand(): Ways {
    return operandWays(operation.operand, context);
  }
}

/** Undefined when it cannot be known. */
function missing(held: Held, isEmptyMissing: boolean): boolean | undefined {
  switch (held.kind) {
    case "unset":
      return true;
    case "unknown":
      return undefined;
    case "list":
      return held.items.length === 0 || (isEmptyMissing && held.items.every((item) => item === ""));
    case "text":
      return isEmptyMissing && (held.text === "" || (mayBeEmpty(held.text) ? undefined : false));
  }
}

/** Words in an operand are split like what comes from a variable, unless quoted there or around. */
function operandWays(operand: Word, context: PartContext): Ways {
  if (context.isQuoted) {
    if (operand.parts === undefined) return [[quoted(operand.value)]];
    return context
      .pieceWays(operand.parts, true)
      .map((pieces) => pieces.map((piece) => ({ ...piece, isQuoted: true })));
  }
  return context
    .wordWays(operand)
    .map((pieces) => pieces.map((piece) => (piece.isQuoted ? piece : split(piece.text, piece.sources))));
}

/** A change to a text; undefined when what comes out is not known. */
type Change =
  | {
      readonly kind: "each";
      apply(text: string): string | undefined;
      /** The same for a text that holds marks, where what it does is sure all the same. */
      applyMarked?(text: string): string | undefined;
    }
  | { readonly kind: "slice"; readonly from: number; readonly count: number | undefined }
  | undefined;

function changeOf(operation: NonNullable<FullPart["operation"]>, context: PartContext): Change {
  switch (operation.type) {
    case "Slice": {
      const from = wordNumber(operation.offset, context);
      const count = operation.length === undefined ? undefined : wordNumber(operation.length, context);
      if (!Number.isInteger(from) || (count !== undefined && !Number.isInteger(count))) return undefined;
      return { kind: "slice", from, count };
    }
    case "Remove":
      return removal(operation, context);
    case "Replace":
      return replacement(operation, context);
    case "CaseModification":
      if (operation.operand !== undefined) context.wordWays(operation.operand);
      return operation.operand === undefined ? { kind: "each", apply: caseChange(operation.operator) } : undefined;
    case "Transform":
      return transform(operation.operand.value);
    default:
      return undefined;
  }
}

function wordNumber(word: Word, context: PartContext): number {
  const [only = [], ...more] = context.wordWays(word);
  const text = joined(only).trim();
  if (more.length > 0) return Number.NaN;
  if (/^[A-Za-z_]\w*$/.test(text)) {
    const [value] = context.host.state.get(text) ?? [];
    return typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
  }
  return text === "" ? 0 : /^-?\s*\d+$/.test(text) ? Number(text.replace(/\s/g, "")) : Number.NaN;
}

function onlyWay(word: Word, context: PartContext): readonly Piece[] | undefined {
  const ways = context.wordWays(word);
  return ways.length === 1 ? ways[0] : undefined;
}

function removal(operation: Extract<FullPart["operation"], { type: "Remove" }>, context: PartContext): Change {
  const pieces = onlyWay(operation.operand, context);
  if (pieces === undefined || pieces.some((piece) => hasUnknown(piece.text))) return undefined;
  const isFront = operation.operator.startsWith("#");
  const isLongest = operation.operator.length === 2;
  const expression = compiled(`^(?:${patternSource(pieces, false)})$`);
  if (expression === undefined) return undefined;
  const ending = pieces.map((piece) => piece.text).join("");
  const isPlain = !isFront && ending !== "" && !/[*?[\]\\()|@!+]/.test(ending);
  return {
    kind: "each",
    applyMarked: (text) => (isPlain && text.endsWith(ending) ? text.slice(0, -ending.length) : undefined),
    apply: (text) => {
      const cuts = Array.from({ length: text.length + 1 }, (_, cut) => cut);
      const order = isFront === isLongest ? cuts.reverse() : cuts;
      const cut = order.find((at) => expression.test(isFront ? text.slice(0, at) : text.slice(at)));
      return cut === undefined ? text : isFront ? text.slice(cut) : text.slice(0, cut);
    },
  };
}

function replacement(operation: Extract<FullPart["operation"], { type: "Replace" }>, context: PartContext): Change {
  const pattern = onlyWay(operation.pattern, context);
  const put = onlyWay(operation.replacement, context);
  if (pattern === undefined || put === undefined) return undefined;
  const text = joined(put);
  if (hasUnknown(text) || pattern.some((piece) => hasUnknown(piece.text))) return undefined;
  const source = patternSource(pattern, false);
  const anchored =
    operation.operator === "/#" ? `^(?:${source})` : operation.operator === "/%" ? `(?:${source})$` : source;
  const expression = compiled(anchored, operation.operator === "//" ? "gs" : "s");
  if (expression === undefined || source === "") return undefined;
  // Nothing is not replaced behind the last match.
  const replaced = (from: string): string =>
    from.replace(expression, (match: string, ...more: unknown[]) =>
      match === "" && more.find(isOffset) === from.length && from !== "" ? "" : text,
    );
  // An ampersand in the replacement stands for what was matched, unless escaped.
  return { kind: "each", apply: (from) => (text.includes("&") ? undefined : replaced(from)) };
}

function isOffset(value: unknown): value is number {
  return typeof value === "number";
}

function caseChange(operator: string): (text: string) => string {
  const change = (text: string): string => (operator.startsWith("^") ? text.toUpperCase() : text.toLowerCase());
  return (text) => (operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1));
}

function transform(letter: string): Change {
  switch (letter) {
    case "U":
      return { kind: "each", apply: (text) => text.toUpperCase() };
    case "L":
      return { kind: "each", apply: (text) => text.toLowerCase() };
    case "u":
      return { kind: "each", apply: (text) => text.slice(0, 1).toUpperCase() + text.slice(1) };
    default:
      return undefined;
  }
}

function changed(held: Held, change: Change): Held {
  if (held.kind === "unknown") return held;
  if (change === undefined) return { kind: "unknown", source: "expansion" };
  if (held.kind === "unset") return held;
  if (change.kind === "slice") {
    if (held.kind === "list" && held.isText === true)
      return changed({ kind: "text", text: held.items[0] ?? "" }, change);
    if (held.kind === "list") return { ...held, items: slicedItems(held, change) };
    return hasUnknown(held.text)
      ? { kind: "unknown", source: "expansion" }
      : { kind: "text", text: sliced(held.text, change) };
  }
  const texts = held.kind === "list" ? held.items : [held.text];
  const results = texts.map((text) => (hasUnknown(text) ? change.applyMarked?.(text) : change.apply(text)));
  if (results.some((text) => text === undefined)) return { kind: "unknown", source: "expansion" };
  const known = results.filter((text): text is string => text !== undefined);
  return held.kind === "list" ? { ...held, items: known } : { kind: "text", text: known[0] ?? "" };
}

type Slice = Extract<Change, { kind: "slice" }>;

function sliced(text: string, { from, count }: Slice): string {
  const start = from < 0 ? text.length + from : from;
  if (start < 0) return "";
  if (count === undefined) return text.slice(start);
  return count < 0 ? text.slice(start, text.length + count) : text.slice(start, start + count);
}

/** Of `$@` the first element has the number 1, and 0 is the name of the shell. */
function slicedItems({ items, first }: Extract<Held, { kind: "list" }>, { from, count }: Slice): readonly string[] {
  const numbered = first === 1 ? [unknownName, ...items] : items;
  const start = from < 0 ? numbered.length + from : from;
  return start < 0 ? [] : numbered.slice(start, count === undefined ? undefined : start + count);
}
