import path from "node:path";

/** A table of locations, ready to be asked. Entries ending in `/` are folders with all that is in them; `*` is any part of one name. */
export class PathTable {
  readonly #entries: readonly Entry[];

  constructor(entries: readonly string[]) {
    this.#entries = entries.map(readEntry);
  }

  /** The entry that a path relative to the table's root falls under. */
  find(relative: string): string | undefined {
    const names = relative.split("/");
    return this.#entries.find((entry) => covers(entry, names))?.text;
  }

  /** The entries that may lie inside a folder or contain it; for a search that wants to know whether to look closer. */
  static relativeTo(root: string, real: string): string | undefined {
    const relative = path.relative(root, real);
    if (relative === "" || relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
      return undefined;
    return relative.split(path.sep).join("/");
  }
}

interface Entry {
  readonly text: string;
  readonly names: readonly RegExp[];
  readonly isFolder: boolean;
}

function readEntry(text: string): Entry {
  const isFolder = text.endsWith("/");
  const names = text.replace(/^\/|\/$/g, "").split("/");
  return { text, isFolder, names: names.map(nameMatcher) };
}

/** File systems of people fold case more often than not; a table of secrets does so too. */
function nameMatcher(name: string): RegExp {
  const escaped = name.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`, "i");
}

function covers({ names, isFolder }: Entry, actual: readonly string[]): boolean {
  if (actual.length < names.length || (actual.length > names.length && !isFolder)) return false;
  return names.every((name, index) => name.test(actual[index] ?? ""));
}
