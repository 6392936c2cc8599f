import { lstatSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { type Confinement, isBroad, isWithin } from "./confinement.ts";
import { SecretFiles } from "./secret-files.ts";
import { guardedInWorkspace, homeSecrets, systemSecrets } from "./secret-locations.ts";

/** A thing on the disk that must look empty, or must not change, inside. */
export interface Covered {
  readonly path: string;
  readonly kind: "folder" | "file";
}

/** Folders that agents and terminals leave in the folder for temporary files; their sockets are keys. */
const socketFolders = /^(?:ssh-|tmux-|gpg-|keyring-|dbus-|\.X11-unix$|\.ICE-unix$)/;

/** What must be hidden from programs, as it is on the disk now; links are followed, so that both names lead to nothing. */
export function masksOf(wall: Confinement, tempDir: string, projectFiles = new SecretFiles()): readonly Covered[] {
  const named = [
    ...[wall.home, ...wall.otherHomes].flatMap((home) =>
      homeSecrets.flatMap((entry) => expand(path.join(home, entry))),
    ),
    ...systemSecrets.filter((entry) => !entry.startsWith("/proc/") && !entry.startsWith("/dev/")).flatMap(expand),
    ...wall.masked,
    ...namesIn(tempDir)
      .filter((name) => socketFolders.test(name))
      .map((name) => path.join(tempDir, name)),
    ...projectFiles.in(wall.workspace),
  ];
  const masks = covered(named).filter(({ path: file }) => !isWithin(wall.hermesHome, file));
  // What lies in a hidden folder is hidden with it, and cannot be covered there.
  const folders = masks.filter(({ kind }) => kind === "folder").map(({ path: folder }) => folder);
  return masks.filter(({ path: file }) => !folders.some((folder) => folder !== file && isWithin(folder, file)));
}

/**
 * What programs may not change although the folder around it is theirs. `.git/config` is looked at when a command has
 * ended; for what runs in the background, a server or a skill's own command nobody does that, so it stays as it is.
 */
export function guardsOf(wall: Confinement, isBackground: boolean): readonly Covered[] {
  const entries = guardedInWorkspace.filter((entry) => isBackground || entry !== ".git/config");
  const inProject = entries.flatMap((entry) => expand(path.join(wall.workspace, entry)));
  return covered([...inProject, ...(isBroad(wall) ? persistentIn(wall.home) : [])]);
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
 * What programs may write. Where the workspace is a home, that home; what contains one is not written beyond it. In the
 * background nobody looks afterwards whether a file that starts by itself has appeared, so there a home is not written
 * itself, only the ordinary folders in it.
 */
export function writableFolders(wall: Confinement, isBackground: boolean): readonly string[] {
  if (!isBroad(wall)) return wall.writable;
  const others = wall.writable.filter((folder) => !isWithin(folder, wall.home));
  if (!isBackground) return [...others, wall.home];
  const persistent = new Set(persistentIn(wall.home));
  const within = namesIn(wall.home).map((name) => path.join(wall.home, name));
  return [...others, ...within.filter((folder) => !persistent.has(folder))];
}

function covered(files: readonly string[]): readonly Covered[] {
  const real = files.flatMap((file) => realPath(file) ?? []);
  return [...new Set(real)].sort().flatMap((file) => {
    const facts = lstatSync(file, { throwIfNoEntry: false });
    return facts === undefined ? [] : [{ path: file, kind: facts.isDirectory() ? "folder" : "file" } as const];
  });
}

/** The paths on the disk that an entry with `*` in its last name stands for. */
function expand(entry: string): readonly string[] {
  const plain = entry.replace(/\/$/, "");
  if (!plain.includes("*")) return [plain];
  const names = plain.split("/");
  const at = names.findIndex((name) => name.includes("*"));
  const folder = names.slice(0, at).join("/") || "/";
  const matcher = new RegExp(`^${(names[at] ?? "").split("*").map(escaped).join(".*")}$`, "i");
  return namesIn(folder)
    .filter((name) => matcher.test(name))
    .flatMap((name) => expand(path.join(folder, name, ...names.slice(at + 1))));
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
}

function realPath(file: string): string | undefined {
  // Most of what the tables name is not there, and an error for each would take longer than all the rest.
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    return realpathSync.native(file);
  } catch {
    // Not there: there is nothing to hide yet, and the next command looks again.
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
