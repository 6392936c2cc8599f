/**
 * Says where JSON text stops being JSON. V8 reports a position only for some mistakes and quotes the
 * text around it; this walks the text once, keeps its own stack (deep nesting cannot overflow), and
 * names at most one character.
 */
export function findJsonError(text: string): { readonly message: string; readonly position: number } | undefined {
  const closers: ("}" | "]")[] = [];
  let expected: Expected = "value";
  let position = 0;
  for (;;) {
    position = skip(whitespace, text, position);
    if (expected === "end") return position === text.length ? undefined : unexpected(text, position);
    const step: Step | undefined = advance({ text, position, expected, closers });
    if (step === undefined) return unexpected(text, position);
    if ("fault" in step) return unexpected(text, step.fault);
    position = step.position;
    expected = step.expected;
  }
}

type Expected = "value" | "first-item" | "first-key" | "key" | "colon" | "separator" | "end";
type Step = { readonly position: number; readonly expected: Expected } | { readonly fault: number };

interface Location {
  readonly text: string;
  readonly position: number;
  readonly expected: Expected;
  readonly closers: ("}" | "]")[];
}

const whitespace = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside strings.
const stringBody = /[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;

function advance(location: Location): Step | undefined {
  const { text, position, expected, closers } = location;
  const character = text.charAt(position);
  switch (expected) {
    case "colon":
      return character === ":" ? { position: position + 1, expected: "value" } : undefined;
    case "separator":
      if (character === ",") return { position: position + 1, expected: closers.at(-1) === "}" ? "key" : "value" };
      return close(location);
    case "first-key":
      return close(location) ?? readString(location, "colon");
    case "key":
      return readString(location, "colon");
    case "first-item":
      return close(location) ?? readValue(location);
    case "value":
      return readValue(location);
    case "end":
      return undefined;
  }
}

function close({ text, position, closers }: Location): Step | undefined {
  if (closers.length === 0 || text.charAt(position) !== closers.at(-1)) return undefined;
  closers.pop();
  return { position: position + 1, expected: closers.length === 0 ? "end" : "separator" };
}

function readValue(location: Location): Step | undefined {
  const { text, position, closers } = location;
  const character = text.charAt(position);
  const after: Expected = closers.length === 0 ? "end" : "separator";
  if (character === "{" || character === "[") {
    closers.push(character === "{" ? "}" : "]");
    return { position: position + 1, expected: character === "{" ? "first-key" : "first-item" };
  }
  if (character === '"') return readString(location, after);
  const end = Math.max(skip(number, text, position), skip(literal, text, position));
  return end === position ? undefined : { position: end, expected: after };
}

function readString({ text, position }: Location, after: Expected): Step | undefined {
  if (text.charAt(position) !== '"') return undefined;
  const end = skip(stringBody, text, position + 1);
  return text.charAt(end) === '"' ? { position: end + 1, expected: after } : { fault: end };
}

/** Where a sticky pattern ends when it matches at `position`; `position` itself when it does not. */
function skip(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : position;
}

function unexpected(text: string, position: number): { readonly message: string; readonly position: number } {
  if (position >= text.length) return { message: "the text ends too early", position: text.length };
  const before = text.slice(0, position).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  const character = JSON.stringify(String.fromCodePoint(text.codePointAt(position) ?? 0));
  return { message: `unexpected ${character} at line ${before.length}, column ${column}`, position };
}
