import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { systemErrorCode } from "../errors.ts";

/** What is held open, and a path that leads to it for as long as it is. */
export interface HeldFile extends Disposable {
  readonly path: string;
}

/** A folder that is held open: what is done in it is done there, wherever its path leads by then. */
export interface HeldFolder extends HeldFile {
  at(name: string): string;
}

/** Linux: a folder that is entered without being read. */
const onlyEnter = 0o10000000;
const flags = onlyEnter | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Where an open descriptor can be used as a path; Linux only. */
const descriptorPath = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

/**
 * The folder at `relative` below `root`, each part of the way entered without following a link. Undefined where a part is no folder, or not
 * there; with `isMade` it is made then, and takes the place of what stood there. `root` itself is taken as it is.
 */
export function holdBelow(
  root: string,
  relative: string,
  { isMade = false }: { readonly isMade?: boolean } = {},
): HeldFolder | undefined {
  const parts = relative.split("/").filter((part) => part !== "" && part !== ".");
  return process.platform === "linux" ? heldBelow(root, parts, isMade) : namedBelow(root, parts, isMade);
}

/** An ordinary file below `root`, reached without a link; undefined where something else stands there. */
export function holdFile(root: string, name: string): HeldFile | undefined {
  using folder = holdBelow(root, path.posix.dirname(name));
  if (folder === undefined) return undefined;
  const file = folder.at(path.posix.basename(name));
  // Without waiting: a pipe nobody writes to may have come in its place.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  if (!fstatSync(descriptor).isFile()) {
    closeSync(descriptor);
    return undefined;
  }
  const held = process.platform === "linux" ? descriptorPath(descriptor) : file;
  return { path: held, [Symbol.dispose]: () => closeSync(descriptor) };
}

function heldBelow(root: string, parts: readonly string[], isMade: boolean): HeldFolder | undefined {
  let descriptor = openSync(root, onlyEnter | (constants.O_DIRECTORY ?? 0));
  try {
    for (const part of parts) {
      const child = `${descriptorPath(descriptor)}/${part}`;
      if (isMade) makeFolderAt(child);
      const next = openSync(child, flags);
      closeSync(descriptor);
      descriptor = next;
    }
  } catch (error) {
    closeSync(descriptor);
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
  const held = descriptorPath(descriptor);
  return { path: held, at: (name) => `${held}/${name}`, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** Where no path leads through an open folder it is looked at as late as possible. */
function namedBelow(root: string, parts: readonly string[], isMade: boolean): HeldFolder | undefined {
  let folder = realpathSync(root);
  for (const part of parts) {
    folder = path.join(folder, part);
    if (isMade) makeFolderAt(folder);
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  }
  return { path: folder, at: (name) => path.join(folder, name), [Symbol.dispose]: () => undefined };
}

function makeFolderAt(folder: string): void {
  const there = lstatSync(folder, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) return;
  if (there !== undefined) rmSync(folder, { force: true });
  mkdirSync(folder);
}
