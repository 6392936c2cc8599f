import { lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { socketsInUse } from "../network/sockets.ts";
import { type Confinement, isBroad, isWithin } from "./confinement.ts";
import { linkedGitOf } from "./git/linked-git.ts";
import { type KnownSecretFiles, SecretFiles } from "./secret-files.ts";
import { guardedInWorkspace, homeSecrets, systemSecrets } from "./secret-locations.ts";

/** A thing on the disk that must look empty, or must not change, inside. */
export interface Covered {
  readonly path: string;
  readonly kind: "folder" | "file";
}

/** Folders that agents and terminals leave in the folder for temporary files; their sockets are keys. */
const socketFolders = /^(?:ssh-|tmux-|gpg-|keyring-|dbus-|\.X11-unix$|\.ICE-unix$)/;

/** What must be hidden from programs, as it is on the disk now; links are followed, so that both names lead to nothing. */
export function masksOf(wall: Confinement, tempDir: string, secretFiles?: KnownSecretFiles): readonly Covered[] {
  const names = new FolderNames();
  const named = [
    ...[wall.home, ...wall.otherHomes].flatMap((home) => homeEntries.flatMap((entry) => names.under(home, entry))),
    ...systemEntries.flatMap((entry) => names.under("/", entry)),
    ...wall.masked,
    ...namesIn(tempDir)
      .filter((name) => socketFolders.test(name))
      .map((name) => path.join(tempDir, name)),
    ...(secretFiles?.in(wall) ?? new SecretFiles().in(wall.workspace)),
    ...socketsOfOthers(wall),
  ];
  const masks = covered(named).filter(({ path: file }) => !isWithin(wall.hermesHome, file));
  // What lies in a hidden folder is hidden with it, and cannot be covered there.
  const folders = masks.filter(({ kind }) => kind === "folder").map(({ path: folder }) => folder);
  return masks.filter(({ path: file }) => !folders.some((folder) => folder !== file && isWithin(folder, file)));
}

/** Where a Hermes keeps what its sessions need. What is in there comes and goes, also between a look and a mount; the folder stays. */
const folderOfHermes = /^.*\/hermes(?:-\d+)?(?=\/[a-z]+-\d+-\w{6}\/)/;

/** Where programs share the network of the machine, sockets where they may write can be their own. Those below /run are not there at all. */
function socketsOfOthers({ network, writable }: Confinement): readonly string[] {
  const spared = network.mode === "open" ? ["/run", ...writable] : ["/run"];
  return socketsInUse()
    .filter((file) => !spared.some((folder) => isWithin(folder, file)))
    .map((file) => folderOfHermes.exec(file)?.[0] ?? file);
}

/**
 * What programs may not change although the folder around it is theirs. `.git/config` is looked at when a command has
 * ended; for what runs in the background, a server or a skill's own command nobody does that, so it stays as it is.
 */
export function guardsOf(wall: Confinement, isBackground: boolean): readonly Covered[] {
  const names = new FolderNames();
  const entries = isBackground ? guardedEntries : guardedEntries.filter((entry) => entry !== gitConfig);
  const inProject = entries.flatMap((entry) => names.under(wall.workspace, entry));
  const linked = linkedGitOf(wall.workspace)?.guarded ?? [];
  return covered([...inProject, ...linked, ...(isBroad(wall) ? persistentIn(wall.home) : [])]);
}

/** Folders around what is guarded: who could move one away could put another in its place. */
export function pinnedFolders(wall: Confinement, guards: readonly Covered[]): readonly string[] {
  const around = (file: string): readonly string[] => {
    const folder = path.dirname(file);
    return folder !== wall.workspace && isWithin(wall.workspace, folder) ? [...around(folder), folder] : [];
  };
  const folders = new Set(guards.flatMap((guard) => around(guard.path)));
  return [...folders].filter((folder) => !guards.some((guard) => isWithin(guard.path, folder)));
}

/** Entries of a home that start programs or hold settings. */
export function persistentIn(home: string): readonly string[] {
  return namesIn(home)
    .filter((name) => name.startsWith(".") || name === "bin" || name === "Library")
    .map((name) => path.join(home, name));
}

/**
 * What programs may write, with what git needs of the repository of a linked worktree. Where the workspace is a home, that
 * home; what contains one is not written beyond it. In the background nobody looks afterwards whether a file that starts by itself has appeared, so there a home is not written
 * itself, only the ordinary folders in it.
 */
export function writableFolders(wall: Confinement, isBackground: boolean): readonly string[] {
  if (!isBroad(wall)) return [...wall.writable, ...(linkedGitOf(wall.workspace)?.writable ?? [])];
  const others = wall.writable.filter((folder) => !isWithin(folder, wall.home));
  if (!isBackground) return [...others, wall.home];
  const persistent = new Set(persistentIn(wall.home));
  const within = namesIn(wall.home).map((name) => path.join(wall.home, name));
  return [...others, ...within.filter((folder) => !persistent.has(folder))];
}

function covered(files: readonly string[]): readonly Covered[] {
  const real = files.flatMap((file) => realPath(file) ?? []);
  return [...new Set(real)].sort().flatMap((file) => {
    const facts = factsOf(file);
    return facts === undefined ? [] : [{ path: file, kind: facts.isDirectory() ? "folder" : "file" } as const];
  });
}

/** The names that lead to an entry of a table, one after the other; what has a `*` is a pattern. */
type EntryNames = readonly (string | RegExp)[];

function namesOf(entry: string): EntryNames {
  const names = entry.split("/").filter((name) => name !== "");
  return names.map((name) =>
    name.includes("*") ? new RegExp(`^${name.split("*").map(escaped).join(".*")}$`, "i") : name,
  );
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
}

const homeEntries = homeSecrets.map(namesOf);
const systemEntries = systemSecrets
  .filter((entry) => !entry.startsWith("/proc/") && !entry.startsWith("/dev/"))
  .map(namesOf);
const guardedEntries = guardedInWorkspace.map(namesOf);
const gitConfig = guardedEntries[guardedInWorkspace.indexOf(".git/config")];

interface FolderListing {
  readonly names: readonly string[];
  /** In lower case: some file systems do not tell the cases apart. */
  readonly folded: ReadonlySet<string>;
}

/** What is in folders, each read once: most of what the tables name is not there, and asking for each takes longer than all the rest. */
class FolderNames {
  readonly #known = new Map<string, FolderListing | "closed">();

  /** The paths on the disk that an entry stands for. */
  under(base: string, entry: EntryNames): readonly string[] {
    return entry.reduce<readonly string[]>(
      (folders, name) => folders.flatMap((folder) => this.#matching(folder, name).map((one) => path.join(folder, one))),
      [base],
    );
  }

  #matching(folder: string, name: string | RegExp): readonly string[] {
    const listing = this.#known.get(folder) ?? this.#read(folder);
    if (typeof name !== "string") return listing === "closed" ? [] : listing.names.filter((one) => name.test(one));
    // A folder that cannot be listed may be entered all the same.
    return listing === "closed" || listing.folded.has(name.toLowerCase()) ? [name] : [];
  }

  #read(folder: string): FolderListing | "closed" {
    let listing: FolderListing | "closed";
    try {
      const names = readdirSync(folder);
      listing = { names, folded: new Set(names.map((name) => name.toLowerCase())) };
    } catch (error) {
      const isAbsent = ["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "");
      listing = isAbsent ? { names: [], folded: new Set() } : "closed";
    }
    this.#known.set(folder, listing);
    return listing;
  }
}

function realPath(file: string): string | undefined {
  if (factsOf(file) === undefined) return undefined;
  try {
    return realpathSync.native(file);
  } catch {
    // Not there: there is nothing to hide yet, and the next command looks again.
    return undefined;
  }
}

function factsOf(file: string): Stats | undefined {
  try {
    // Most of what the tables name is not there, and an error for each would take longer than all the rest.
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    // A file stands where a folder is named, such as the `.git` of a worktree: there is nothing below it.
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
