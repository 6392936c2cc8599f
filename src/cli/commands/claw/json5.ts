export type Json5Reading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

const maxDepth = 64;
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", "0": "\0" };

/** JSON as people write it: comments, trailing commas, bare names and single quotes. */
export function parseJson5(text: string): Json5Reading {
  try {
    const reader = new Reader(text.replace(/^\uFEFF/, ""));
    const value = reader.value(0);
    reader.end();
    return { ok: true, value };
  } catch (error) {
    if (error instanceof Json5Fault) return { ok: false, message: error.message };
    throw error;
  }
}

class Json5Fault extends Error {}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth > maxDepth) throw this.#fault("it is nested too deeply");
    this.#skip();
    const character = this.#text[this.#at] ?? "";
    if (character === "{") return this.#object(depth);
    if (character === "[") return this.#list(depth);
    if (character === '"' || character === "'") return this.#string(character);
    return this.#literal();
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) throw this.#fault("something follows the value");
  }

  #object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#at += 1;
    for (;;) {
      if (this.#takes("}")) break;
      const name = this.#name();
      if (!this.#takes(":")) throw this.#fault("a colon is missing");
      entries.push([name, this.value(depth + 1)]);
      if (!this.#takes(",") && !this.#sees("}")) throw this.#fault("a comma or } is missing");
    }
    return Object.fromEntries(entries.filter(([name]) => name !== "__proto__"));
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    for (;;) {
      if (this.#takes("]")) return items;
      items.push(this.value(depth + 1));
      if (!this.#takes(",") && !this.#sees("]")) throw this.#fault("a comma or ] is missing");
    }
  }

  #name(): string {
    this.#skip();
    const quote = this.#text[this.#at] ?? "";
    if (quote === '"' || quote === "'") return this.#string(quote);
    return this.#match(/[\p{L}\p{N}_$]+/uy) ?? this.#refuse("a name is missing");
  }

  #string(quote: string): string {
    const pieces: string[] = [];
    this.#at += 1;
    for (;;) {
      const plain = this.#match(quote === '"' ? /[^"\\\n\r]+/y : /[^'\\\n\r]+/y);
      if (plain !== undefined) pieces.push(plain);
      const next = this.#text[this.#at] ?? "";
      if (next !== quote && next !== "\\") throw this.#fault("a text does not end");
      this.#at += 1;
      if (next === quote) return pieces.join("");
      pieces.push(this.#escape());
    }
  }

  #escape(): string {
    if (this.#match(/\r\n|[\n\r\u2028\u2029]/y) !== undefined) return "";
    const code = this.#match(/u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}/y);
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const character = this.#text[this.#at] ?? "";
    if (character === "") throw this.#fault("a text does not end");
    this.#at += 1;
    return escapes[character] ?? character;
  }

  #literal(): unknown {
    const word = this.#match(/[+\-.\w]+/y) ?? this.#refuse("a value is missing");
    const known: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
    if (Object.hasOwn(known, word)) return known[word];
    const isNumber = /^[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$/.test(word);
    if (!isNumber) return this.#refuse(`"${word.slice(0, 40)}" is no value`);
    const size = Number(word.replace(/^[+-]/, ""));
    return word.startsWith("-") ? -size : size;
  }

  #skip(): void {
    for (;;) {
      this.#match(/(?:\s|\/\/[^\n\r]*)+/y);
      if (!this.#text.startsWith("/*", this.#at)) return;
      const end = this.#text.indexOf("*/", this.#at + 2);
      if (end < 0) throw this.#fault("a comment does not end");
      this.#at = end + 2;
    }
  }

  #sees(character: string): boolean {
    this.#skip();
    return this.#text[this.#at] === character;
  }

  #takes(character: string): boolean {
    if (!this.#sees(character)) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found;
  }

  #refuse(why: string): never {
    throw this.#fault(why);
  }

  #fault(why: string): Json5Fault {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    return new Json5Fault(`line ${line}: ${why}`);
  }
}
