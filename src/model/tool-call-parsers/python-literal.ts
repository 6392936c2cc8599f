import { type ExactJson, ExactNumber } from "#foundation/text/exact-json";

/**
 * Reads the safe part of Python's literal syntax: `None`, `True`, `False`, numbers, strings in either
 * quote, lists, tuples (as lists) and dicts. Nothing is ever evaluated. Undefined for anything else.
 */
export function decodePythonLiteral(text: string): ExactJson | undefined {
  const reader = new Reader(text);
  const value = reader.value(0);
  return value !== undefined && reader.isAtEnd() ? value : undefined;
}

const maxDepth = 100;
const words: Readonly<Record<string, ExactJson>> = { None: null, True: true, False: false };
const simpleEscapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  "0": "\0",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at === this.#text.length;
  }

  value(depth: number): ExactJson | undefined {
    if (depth > maxDepth) return undefined;
    this.#skip();
    const character = this.#text[this.#at];
    if (character === "[") return this.#list("]", depth);
    if (character === "(") return this.#list(")", depth);
    if (character === "{") return this.#dict(depth);
    if (character === "'" || character === '"') return this.#string(character);
    const word = this.#word();
    // `None` is a value: null, not the absence of a word.
    return word === undefined ? this.#number() : word;
  }

  #list(closer: string, depth: number): ExactJson | undefined {
    this.#at += 1;
    const items: ExactJson[] = [];
    for (;;) {
      if (this.#take(closer)) return items;
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      if (this.#take(",")) continue;
      if (!this.#take(closer)) return undefined;
      // One value in round brackets is that value, not a tuple.
      return closer === ")" && items.length === 1 ? item : items;
    }
  }

  #dict(depth: number): ExactJson | undefined {
    this.#at += 1;
    const members = new Map<string, ExactJson>();
    for (;;) {
      if (this.#take("}")) return members;
      const key = this.value(depth + 1);
      if (key === undefined || !this.#take(":")) return undefined;
      const member = this.value(depth + 1);
      if (member === undefined) return undefined;
      members.set(keyText(key), member);
      if (this.#take(",")) continue;
      return this.#take("}") ? members : undefined;
    }
  }

  #string(quote: string): string | undefined {
    let value = "";
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at] ?? "";
      if (character === quote) {
        this.#at += 1;
        return value;
      }
      if (character === "\n") return undefined;
      if (character !== "\\") value += character;
      else {
        const escaped = this.#escape();
        if (escaped === undefined) return undefined;
        value += escaped;
      }
    }
    return undefined;
  }

  /** Stands on the backslash; leaves standing on the last character of the escape. */
  #escape(): string | undefined {
    this.#at += 1;
    const kind = this.#text[this.#at] ?? "";
    const length = kind === "x" ? 2 : kind === "u" ? 4 : 0;
    if (length === 0) return simpleEscapes[kind] ?? `\\${kind}`;
    const digits = this.#text.slice(this.#at + 1, this.#at + 1 + length);
    if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
    this.#at += length;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #word(): ExactJson | undefined {
    for (const [word, value] of Object.entries(words)) {
      const behind = this.#text[this.#at + word.length] ?? "";
      if (this.#text.startsWith(word, this.#at) && !/\w/.test(behind)) {
        this.#at += word.length;
        return value;
      }
    }
    return undefined;
  }

  #number(): ExactNumber | undefined {
    const pattern = /[+-]?(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?(?!\w)/y;
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    if (match === undefined) return undefined;
    this.#at += match.length;
    return new ExactNumber(match.replace(/^\+/, "").replace(/\.(?=$|[eE])/, ".0"));
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }
}

function keyText(key: ExactJson): string {
  if (typeof key === "string") return key;
  return key instanceof ExactNumber ? key.text : String(key);
}
