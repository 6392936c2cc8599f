import path from "node:path";

/** A table of locations, ready to be asked. Entries ending in `/` are folders with all that is in them; `*` is any part of one name. */
export class PathTable {
  readonly #entries: readonly Entry[];
  /** All entries at once: nearly every path falls under none, and is asked about for each file of a folder. */
  readonly #any: RegExp;

  constructor(entries: readonly string[]) {
    this.#entries = entries.map((text) => ({ text, matcher: new RegExp(`^${pattern(text)}$`, "i") }));
    this.#any = new RegExp(`^(?:${entries.map(pattern).join("|")})$`, "i");
  }

  /** The entry that a path relative to the table's root falls under. */
  find(relative: string): string | undefined {
    return this.#any.test(relative) ? this.#entries.find(({ matcher }) => matcher.test(relative))?.text : undefined;
  }

  /** The entries that may lie inside a folder or contain it; for a search that wants to know whether to look closer. */
  static relativeTo(root: string, real: string): string | undefined {
    if (path.sep === "/" && isPlain(root) && isPlain(real)) {
      const folder = root.endsWith("/") ? root : `${root}/`;
      return real.startsWith(folder) && real.length > folder.length ? real.slice(folder.length) : undefined;
    }
    const relative = path.relative(root, real);
    if (relative === "" || relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
      return undefined;
    return relative.split(path.sep).join("/");
  }
}

/** Absolute, and nothing in it is to be resolved: as good as all paths here are. */
function isPlain(file: string): boolean {
  return file.startsWith("/") && !/\/(?:\.{0,2}\/|\.{1,2}$)|.\/$/su.test(file);
}

interface Entry {
  readonly text: string;
  readonly matcher: RegExp;
}

/** File systems of people fold case more often than not; a table of secrets does so too. */
function pattern(entry: string): string {
  const names = entry.replace(/^\/|\/$/g, "").split("*");
  const text = names.map((name) => name.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("[^/]*");
  return entry.endsWith("/") ? `${text}(?:/[^]*)?` : text;
}
