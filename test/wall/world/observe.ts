import { createHash } from "node:crypto";
import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";

/** Path to what is there: kind, rights and content. */
export type Snapshot = ReadonlyMap<string, string>;

export interface Change {
  readonly path: string;
  readonly what: "new" | "gone" | "changed";
}

/** Everything below the folders as it is now. `skip` leaves out a path with all that is in it. */
export function snapshot(folders: readonly string[], skip: (file: string) => boolean): Snapshot {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of entriesOf(folder)) {
      const file = path.join(folder, entry.name);
      if (skip(file) || entry.isSocket()) continue;
      found.set(file, factsOf(file));
      if (entry.isDirectory()) walk(file);
    }
  };
  for (const folder of folders) {
    found.set(folder, factsOf(folder));
    walk(folder);
  }
  return found;
}

export function changes(before: Snapshot, after: Snapshot): readonly Change[] {
  const list: Change[] = [];
  for (const [file, facts] of before) {
    const now = after.get(file);
    if (now === undefined || now === "gone") {
      if (facts !== "gone") list.push({ path: file, what: "gone" });
    } else if (now !== facts) list.push({ path: file, what: "changed" });
  }
  for (const [file, facts] of after) if (!before.has(file) && facts !== "gone") list.push({ path: file, what: "new" });
  return list;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone or locked: its own facts say so.
    return [];
  }
}

function factsOf(file: string): string {
  try {
    const facts = lstatSync(file);
    const mode = (facts.mode & 0o7777).toString(8);
    if (facts.isSymbolicLink()) return `link ${readlinkSync(file)}`;
    if (facts.isDirectory()) return `folder ${mode}`;
    if (!facts.isFile()) return `special ${mode}`;
    return `file ${mode} ${facts.size} ${createHash("sha1").update(readFileSync(file)).digest("hex")}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : `unreadable ${String(error)}`;
  }
}
