import type { Position, SettingsDocument } from "./document.ts";
import { isSamePath, type KeyPath } from "./key-path.ts";
import type { Tree } from "./tree.ts";

// Invariants
// 1. A document that is given back is the one the YAML library would give: values, order of keys and places.
// 2. No file is refused here. What is not plainly YAML is undefined, and the library reads it and finds the words.

/**
 * Reads a settings file that is written the ordinary way: blocks of keys and lists, values on one line, comments.
 * Loading the YAML library takes longer than all other work on such a file.
 */
export function readPlainYaml(text: string): SettingsDocument | undefined {
  if (text.length > maxPlainLength || !ordinaryText.test(text)) return undefined;
  const reader = new Reader(linesOf(text));
  try {
    const tree = reader.read();
    return { text, tree, duplicates: [], locate: (path) => reader.placeOf(path) };
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** Beyond this size reading twice would be felt. */
const maxPlainLength = 100_000;

/** No tabs, carriage returns, byte order marks or other characters with a meaning of their own. */
const ordinaryText = /^[\n -~\u00a1-\u1fff\u2030-\ufdff]*$/;

const entry = /^([A-Za-z_][A-Za-z0-9_./-]{0,99}):(?: +(.*))?$/;
const wordWithMeaning = /^(?:true|false|null|__proto__)$/i;

class NotPlain extends Error {}

interface Line {
  readonly indent: number;
  readonly content: string;
  readonly number: number;
}

function linesOf(text: string): Line[] {
  return text.split("\n").flatMap((written, index) => {
    const content = written.trim();
    if (content === "" || content.startsWith("#")) return [];
    return [{ indent: written.indexOf(content), content, number: index + 1 }];
  });
}

class Reader {
  readonly #places: { readonly path: KeyPath; readonly position: Position }[] = [];
  readonly #lines: Line[];
  #next = 0;

  constructor(lines: Line[]) {
    this.#lines = lines;
  }

  read(): Tree {
    const [first] = this.#lines;
    if (first === undefined) return {};
    if (first.indent !== 0) throw new NotPlain();
    const tree = this.#map(0, []);
    if (this.#next < this.#lines.length) throw new NotPlain();
    return tree;
  }

  /** Asked for only when there is something to say about a key. */
  placeOf(path: KeyPath): Position | undefined {
    return this.#places.find((place) => isSamePath(place.path, path))?.position;
  }

  #map(indent: number, path: KeyPath): Tree {
    const tree: Tree = {};
    for (let line = this.#at(indent); line !== undefined; line = this.#at(indent)) {
      const [, key, written = ""] = entry.exec(line.content) ?? [];
      if (key === undefined || wordWithMeaning.test(key) || Object.hasOwn(tree, key)) throw new NotPlain();
      const own = [...path, key];
      this.#note(own, line, 0);
      this.#next += 1;
      const isEmpty = written === "" || written.startsWith("#");
      tree[key] = isEmpty ? this.#below(indent, own) : this.#value(written, { line, path: own });
    }
    return tree;
  }

  /** What stands under a key without a value. A list may stand as far left as its key. */
  #below(indent: number, path: KeyPath): unknown {
    const line = this.#lines[this.#next];
    if (line === undefined || line.indent < indent) return null;
    if (isItem(line)) return this.#list(line.indent, path);
    return line.indent === indent ? null : this.#map(line.indent, path);
  }

  #list(indent: number, path: KeyPath): unknown[] {
    const items: unknown[] = [];
    for (let line = this.#at(indent); line !== undefined && isItem(line); line = this.#at(indent)) {
      const content = line.content.slice(2);
      const own = [...path, String(items.length)];
      if (content.startsWith(" ") || content.startsWith("#")) throw new NotPlain();
      this.#note(own, line, 2);
      if (entry.test(content)) {
        this.#lines[this.#next] = { indent: indent + 2, content, number: line.number };
        items.push(this.#map(indent + 2, own));
      } else {
        this.#next += 1;
        items.push(this.#value(content, { line, path: own }));
      }
    }
    return items;
  }

  /** The next line if it belongs to the block with this indent; one further in belongs to nothing. */
  #at(indent: number): Line | undefined {
    const line = this.#lines[this.#next];
    if (line !== undefined && line.indent > indent) throw new NotPlain();
    return line?.indent === indent ? line : undefined;
  }

  #value(written: string, at: { readonly line: Line; readonly path: KeyPath }): unknown {
    const [, bracketed] = /^(\[[^[\]{}#]*\])(?: +#.*)?$/.exec(written) ?? [];
    if (bracketed !== undefined) {
      const start = at.line.content.length - written.length;
      return this.#flowItems(bracketed, start, at);
    }
    if (/^\{\}(?: +#.*)?$/.test(written)) return {};
    const [, quoted] = /^("[^"\\]*"|'[^']*')(?: +#.*)?$/.exec(written) ?? [];
    return quoted?.slice(1, -1) ?? blockScalar(written.replace(/ +#.*$/, ""));
  }

  #flowItems(written: string, start: number, at: { readonly line: Line; readonly path: KeyPath }): unknown[] {
    const items: unknown[] = [];
    const inside = written.slice(1, -1);
    if (inside.trim() === "") return items;
    const item = / *("[^"\\]*"|'[^']*'|[^,"' ][^,"']*?) *(?:,|$)/y;
    while (item.lastIndex < inside.length) {
      const from = item.lastIndex;
      const [whole, word] = item.exec(inside) ?? [];
      if (whole === undefined || word === undefined) throw new NotPlain();
      this.#note([...at.path, String(items.length)], at.line, start + 1 + from + whole.indexOf(word));
      items.push(/^["']/.test(word) ? word.slice(1, -1) : flowScalar(word));
    }
    if (inside.endsWith(",")) throw new NotPlain();
    return items;
  }

  #note(path: KeyPath, line: Line, offset: number): void {
    this.#places.push({ path, position: { line: line.number, column: line.indent + offset + 1 } });
  }
}

const isItem = (line: Line): boolean => line.content.startsWith("- ");

/** A word without quotes. In a block it may hold nearly anything, as long as it does not start so. */
function blockScalar(word: string): unknown {
  const isText = /^(?:[A-Za-z_/$]|~\/|\.\.?\/)/.test(word) || word === "." || /^[0-9]{1,6}[smhd]$/.test(word);
  if (!isText) return numberOrNothing(word);
  if (/:(?: |$)| #/.test(word)) throw new NotPlain();
  return wordOrFlag(word);
}

/** Between brackets more signs have a meaning. */
function flowScalar(word: string): unknown {
  return /^[A-Za-z_/][A-Za-z0-9_./@+-]*$/.test(word) ? wordOrFlag(word) : numberOrNothing(word);
}

function wordOrFlag(word: string): unknown {
  if (word === "true" || word === "false") return word === "true";
  if (word === "null") return null;
  if (wordWithMeaning.test(word)) throw new NotPlain();
  return word;
}

function numberOrNothing(word: string): unknown {
  if (word === "~") return null;
  if (/^(?:0|-?[1-9][0-9]{0,14}|-?(?:0|[1-9][0-9]{0,8})\.[0-9]{1,6})$/.test(word)) return Number(word);
  throw new NotPlain();
}
