import { lstatSync, readdirSync } from "node:fs";
import { isSecretName } from "./confinement.ts";

/** What of one folder matters: the folders in it, and the files that hold credentials by their name. */
interface Listing {
  readonly changedAtMs: number;
  readonly inode: number;
  readonly folders: readonly string[];
  readonly secrets: readonly string[];
}

/** How many folders below the workspace are looked at for files such as `.env`. */
const maxFolders = 200;
const maxDepth = 2;

/** A change in the same moment as the look could be missed; only a folder that was quiet for so long is remembered. */
const settledMs = 2_000;

/**
 * Files of a project that hold credentials by their name, at the top and just below it. Looked for before every command:
 * a folder that did not change since the last look is not read again.
 */
export class SecretFiles {
  #known = new Map<string, Listing>();

  in(workspace: string): readonly string[] {
    const before = this.#known;
    const now = new Map<string, Listing>();
    const queue = [{ folder: workspace, depth: 0 }];
    const found: string[] = [];
    for (const { folder, depth } of queue) {
      if (now.size >= maxFolders) break;
      const listing = listed(folder, before.get(folder));
      if (listing === undefined) continue;
      now.set(folder, listing);
      found.push(...listing.secrets);
      if (depth < maxDepth) queue.push(...listing.folders.map((inner) => ({ folder: inner, depth: depth + 1 })));
    }
    this.#known = now;
    return found;
  }
}

function listed(folder: string, known: Listing | undefined): Listing | undefined {
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  if (facts === undefined || !facts.isDirectory()) return undefined;
  const { ctimeMs: changedAtMs, ino: inode } = facts;
  if (known?.changedAtMs === changedAtMs && known.inode === inode) return known;
  const folders: string[] = [];
  const secrets: string[] = [];
  for (const entry of entriesIn(folder)) {
    const file = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) {
      if (isSecretName(entry.name)) secrets.push(file);
    } else if (entry.name !== "node_modules" && entry.name !== ".git") folders.push(file);
  }
  // Read a moment after its change: what changed since may have the same time.
  return { changedAtMs: Date.now() - changedAtMs > settledMs ? changedAtMs : Number.NaN, inode, folders, secrets };
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not ours to read: a program of ours cannot read it either.
    return [];
  }
}
