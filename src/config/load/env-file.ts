/**
 * The format of `.env`, as pure functions over its text. One entry per `NAME=value`, optionally after
 * `export`. Values in single quotes are literal; in double quotes `\n`, `\t`, `\"`, `\\` and `\$` are escapes and
 * lines may break; bare values end at ` #`. Everything else (comments, blank and odd lines) is kept as it is.
 */
export interface EnvEntry {
  readonly name: string;
  readonly value: string;
  /** Offsets in the text: the whole entry with its line break, and the written value with its quotes. */
  readonly start: number;
  readonly end: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  readonly isQuoted: boolean;
  /** Counted from one. */
  readonly line: number;
}

const entryStart = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/;

export function parseEnv(text: string): readonly EnvEntry[] {
  const entries: EnvEntry[] = [];
  let offset = text.startsWith("\uFEFF") ? 1 : 0;
  let line = 1;
  while (offset < text.length) {
    const entry = entryAt(text, offset, line);
    const end = entry?.end ?? lineEnd(text, offset);
    if (entry !== undefined) entries.push(entry);
    line += countLines(text.slice(offset, end));
    offset = end;
  }
  return entries;
}

/** The text with one variable set: its last entry is changed in place, or a new one is added at the end. */
export function setInEnv(text: string, name: string, value: string): string {
  const existing = parseEnv(text).findLast((entry) => entry.name === name);
  const written = quote(value);
  if (existing !== undefined) return text.slice(0, existing.valueStart) + written + text.slice(existing.valueEnd);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const separator = text === "" || text === "\uFEFF" || text.endsWith("\n") ? "" : newline;
  return `${text}${separator}${name}=${written}${newline}`;
}

/** The text without a variable; every entry of that name goes. */
export function removeFromEnv(text: string, name: string): string {
  return parseEnv(text)
    .filter((entry) => entry.name === name)
    .reduceRight((current, entry) => current.slice(0, entry.start) + current.slice(entry.end), text);
}

/**
 * Splits lines in which two entries ran together (`A_KEY=oneB_KEY=two`), which happens when a program
 * appends to a file without a final line break. Only known names are believed, so values keep their `=`.
 */
export function splitConcatenated(text: string, knownNames: readonly string[]): string {
  const entries = parseEnv(text);
  if (!entries.some((entry) => !entry.isQuoted && entry.value.includes("="))) return text;
  const longestFirst = [...knownNames].sort((a, b) => b.length - a.length);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  let result = text;
  for (const entry of entries.toReversed()) {
    if (entry.isQuoted) continue;
    const written = text.slice(entry.valueStart, entry.valueEnd);
    const cuts = cutsIn(written, longestFirst);
    for (const cut of cuts.reverse()) {
      const at = entry.valueStart + cut;
      result = result.slice(0, at) + newline + result.slice(at);
    }
  }
  return result;
}

/** Offsets at which a known `NAME=` starts inside a value. */
function cutsIn(value: string, longestFirst: readonly string[]): number[] {
  const cuts: number[] = [];
  for (let equals = value.indexOf("="); equals !== -1; equals = value.indexOf("=", equals + 1)) {
    const before = value.slice(cuts.at(-1) ?? 0, equals);
    const name = longestFirst.find((known) => before.endsWith(known));
    const start = name === undefined ? -1 : equals - name.length;
    // At the very start there is nothing to split off: `A=B_KEY=x` gives A an odd but single value.
    if (start > 0) cuts.push(start);
  }
  return cuts;
}

function entryAt(text: string, offset: number, line: number): EnvEntry | undefined {
  const match = entryStart.exec(text.slice(offset, lineEnd(text, offset)));
  const name = match?.[1];
  if (match === null || name === undefined) return undefined;
  const valueStart = offset + match[0].length;
  const quoted = quotedValue(text, valueStart);
  if (quoted !== undefined) {
    return { name, line, start: offset, valueStart, isQuoted: true, ...quoted, end: lineEnd(text, quoted.valueEnd) };
  }
  const end = lineEnd(text, offset);
  const rest = text.slice(valueStart, end);
  const bare = (rest.includes("#") ? rest.replace(/(?:^|\s)#.*$/su, "") : rest).trimEnd();
  return {
    name,
    line,
    value: bare,
    start: offset,
    end,
    valueStart,
    valueEnd: valueStart + bare.length,
    isQuoted: false,
  };
}

function quotedValue(text: string, start: number): { value: string; valueEnd: number } | undefined {
  if (text[start] !== "'" && text[start] !== '"') return undefined;
  const pattern = text[start] === "'" ? /'([^']*)'/y : /"((?:[^"\\]|\\[\s\S])*)"/y;
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  const inner = match?.[1];
  if (match === null || inner === undefined) return undefined;
  // A quote that belongs to the value (`"a" b`) or runs over entries below an unclosed one is no quoting.
  const rest = text.slice(pattern.lastIndex, lineEnd(text, pattern.lastIndex));
  if (!/^[ \t]*(?:#.*)?\r?\n?$/.test(rest)) return undefined;
  return { value: text[start] === "'" ? inner : unquote(inner), valueEnd: pattern.lastIndex };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function unquote(text: string): string {
  return text.replace(/\\([nrt"\\$`'])/g, (_, character: string) => escapes[character] ?? character);
}

function quote(value: string): string {
  if (/^[A-Za-z0-9_@%+=:,./~^*?!&;()[\]{}|<>-]*$/.test(value)) return value;
  if (!/['\n\r]/.test(value)) return `'${value}'`;
  const escaped = value
    .replace(/["\\$`]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r");
  return `"${escaped}"`;
}

function lineEnd(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found === -1 ? text.length : found + 1;
}

const countLines = (text: string): number => text.split("\n").length - 1;
