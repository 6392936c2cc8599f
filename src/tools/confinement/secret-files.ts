import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { isSecretName } from "./confinement.ts";

/** What of one folder matters: the folders in it, and the files that hold credentials by their name. */
interface Listing {
  readonly changedAtMs: number;
  readonly inode: number;
  readonly folders: readonly string[];
  readonly secrets: readonly string[];
  readonly hasRepository: boolean;
}

/** Where files such as `.env` are looked for. */
export interface SecretReach {
  /** How many folders are looked at, the nearest first. */
  readonly folders: number;
  readonly depth: number;
  /** Folders whose name begins with a dot are left out: in a home the table of locations has them. */
  readonly isHome?: boolean;
}

const ofProject: SecretReach = { folders: 2_000, depth: 24 };
const ofHome: SecretReach = { folders: 600, depth: 3, isHome: true };

/** What a wall knows of them from command to command: in its project, and in the person's other ones. */
export class KnownSecretFiles {
  readonly #project = new SecretFiles(ofProject);
  readonly #home = new SecretFiles(ofHome);

  /** The `.git` folders of the project, nested ones too. */
  repositoriesIn(workspace: string): readonly string[] {
    return this.#project.repositoriesIn(workspace);
  }

  in({ workspace, home }: { readonly workspace: string; readonly home: string }): readonly string[] {
    return [...this.#project.in(workspace), ...this.#home.in(home)];
  }
}

/** Made or fetched by tools: what is called like a key in there is an example, or a certificate that anybody has. */
const fetched: ReadonlySet<string> = new Set([
  ...["node_modules", "site-packages", ".venv", "venv", ".tox", "vendor", "third_party", ".git"],
  ...["miniconda3", "anaconda3", "Library", "snap"],
]);

/** Deep inside and outside of the project, where most of them are certificates. */
const isCertificate = (name: string): boolean => name.toLowerCase().endsWith(".pem");
/** Below this a file called `*.pem` belongs to something that was put there as a whole. */
const ownDepth = 2;

/** A change in the same moment as the look could be missed; only a folder that was quiet for so long is remembered. */
const settledMs = 2_000;

/**
 * Files that hold credentials by their name, the nearest first. Looked for before every command: a folder that did not change since the
 * last look is not read again.
 */
export class SecretFiles {
  readonly #reach: SecretReach;
  #known = new Map<string, Listing>();

  constructor(reach = ofProject) {
    this.#reach = reach;
  }

  /** The `.git` of each folder that has one, whatever it is; what tools fetched is left out. */
  repositoriesIn(root: string): readonly string[] {
    this.in(root);
    return [...this.#known].filter(([, { hasRepository }]) => hasRepository).map(([folder]) => `${folder}/.git`);
  }

  in(root: string): readonly string[] {
    const { folders: maxFolders, depth: maxDepth, isHome = false } = this.#reach;
    const before = this.#known;
    const now = new Map<string, Listing>();
    const queue = [{ folder: root, depth: 0 }];
    const found: string[] = [];
    for (const { folder, depth } of queue) {
      if (now.size >= maxFolders) break;
      const listing = listed(folder, before.get(folder));
      if (listing === undefined) continue;
      now.set(folder, listing);
      const hasCertificates = isHome || depth > ownDepth;
      found.push(...(hasCertificates ? listing.secrets.filter((file) => !isCertificate(file)) : listing.secrets));
      if (depth === maxDepth) continue;
      const inner = isHome ? listing.folders.filter((one) => !path.basename(one).startsWith(".")) : listing.folders;
      queue.push(...inner.map((one) => ({ folder: one, depth: depth + 1 })));
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
  let hasRepository = false;
  for (const entry of entriesIn(folder)) {
    const file = `${folder}/${entry.name}`;
    // Also one that is a file or a link, as in submodules.
    if (entry.name === ".git") hasRepository = true;
    else if (!entry.isDirectory()) {
      if (isSecretName(entry.name)) secrets.push(file);
    } else if (!fetched.has(entry.name)) folders.push(file);
  }
  // Read a moment after its change: what changed since may have the same time.
  return {
    changedAtMs: Date.now() - changedAtMs > settledMs ? changedAtMs : Number.NaN,
    inode,
    folders,
    secrets,
    hasRepository,
  };
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not ours to read: a program of ours cannot read it either.
    return [];
  }
}
