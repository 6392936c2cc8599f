/**
 * JSON that keeps what plain parsing loses: the order of integer-like keys, integers of any size, and
 * whether a number was written as a float. Training data compares bytes, so text that is read and
 * written again must come out the same as from the programs that made the existing data.
 */
export class ExactNumber {
  /** As it stood in the source. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type ExactJson = null | boolean | string | number | ExactNumber | readonly ExactJson[] | ExactObject;
export type ExactObject = ReadonlyMap<string, ExactJson>;

export interface Decoded {
  readonly value: ExactJson;
  /** Index behind the value. */
  readonly end: number;
}

/** Remembers containers already tried, so that trying every `{` of a text stays linear. */
export type DecodeMemory = Map<number, Decoded | undefined>;

const maxDepth = 400;

/** Decodes the one JSON value that starts at `at` (leading white space allowed); undefined when there is none. */
export function decodeExactAt(text: string, at: number, memory: DecodeMemory = new Map()): Decoded | undefined {
  return readValue({ text, memory, depth: 0 }, skipSpace(text, at));
}

/** Decodes a text that is one JSON value and nothing else. */
export function decodeExact(text: string): Decoded | undefined {
  const decoded = decodeExactAt(text, 0);
  return decoded !== undefined && skipSpace(text, decoded.end) === text.length ? decoded : undefined;
}

interface Reader {
  readonly text: string;
  readonly memory: DecodeMemory;
  depth: number;
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function readValue(reader: Reader, at: number): Decoded | undefined {
  const { text } = reader;
  switch (text[at]) {
    case "{":
    case "[":
      return readContainer(reader, at);
    case '"':
      return readString(text, at);
    case "t":
      return text.startsWith("true", at) ? { value: true, end: at + 4 } : undefined;
    case "f":
      return text.startsWith("false", at) ? { value: false, end: at + 5 } : undefined;
    case "n":
      return text.startsWith("null", at) ? { value: null, end: at + 4 } : undefined;
    default: {
      numberPattern.lastIndex = at;
      const match = numberPattern.exec(text);
      return match === null ? undefined : { value: new ExactNumber(match[0]), end: at + match[0].length };
    }
  }
}

function readContainer(reader: Reader, at: number): Decoded | undefined {
  if (reader.memory.has(at)) return reader.memory.get(at);
  reader.depth += 1;
  const decoded =
    reader.depth > maxDepth ? undefined : reader.text[at] === "{" ? readObject(reader, at) : readArray(reader, at);
  reader.depth -= 1;
  reader.memory.set(at, decoded);
  return decoded;
}

function readObject(reader: Reader, start: number): Decoded | undefined {
  const { text } = reader;
  const value = new Map<string, ExactJson>();
  let at = skipSpace(text, start + 1);
  if (text[at] === "}") return { value, end: at + 1 };
  for (;;) {
    const key = text[at] === '"' ? readString(text, at) : undefined;
    if (key === undefined) return undefined;
    at = skipSpace(text, key.end);
    if (text[at] !== ":") return undefined;
    const member = readValue(reader, skipSpace(text, at + 1));
    if (member === undefined) return undefined;
    value.set(key.value as string, member.value);
    at = skipSpace(text, member.end);
    if (text[at] === "}") return { value, end: at + 1 };
    if (text[at] !== ",") return undefined;
    at = skipSpace(text, at + 1);
  }
}

function readArray(reader: Reader, start: number): Decoded | undefined {
  const { text } = reader;
  const value: ExactJson[] = [];
  let at = skipSpace(text, start + 1);
  if (text[at] === "]") return { value, end: at + 1 };
  for (;;) {
    const element = readValue(reader, at);
    if (element === undefined) return undefined;
    value.push(element.value);
    at = skipSpace(text, element.end);
    if (text[at] === "]") return { value, end: at + 1 };
    if (text[at] !== ",") return undefined;
    at = skipSpace(text, at + 1);
  }
}

function readString(text: string, at: number): Decoded | undefined {
  const literal = stringLiteral(text, at);
  return literal === undefined ? undefined : { value: JSON.parse(literal) as string, end: at + literal.length };
}

function stringLiteral(text: string, at: number): string | undefined {
  for (let index = at + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      const literal = text.slice(at, index + 1);
      return isStringLiteral(literal) ? literal : undefined;
    }
    if (code < 0x20) return undefined;
    if (code === 0x5c) index += 1;
  }
  return undefined;
}

function isStringLiteral(literal: string): boolean {
  if (!literal.includes("\\")) return true;
  return literal.replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g, "").indexOf("\\") < 0;
}

function skipSpace(text: string, at: number): number {
  let index = at;
  while (index < text.length && " \t\n\r".includes(text[index] ?? "x")) index += 1;
  return index;
}
