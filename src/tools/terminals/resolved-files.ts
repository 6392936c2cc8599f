import { closeSync, constants, existsSync, mkdirSync, openSync, readlinkSync, realpathSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import { ToolFailure } from "../contract/result.ts";
import type { TerminalFiles } from "../contract/terminal.ts";

type FileSteps = Pick<TerminalFiles, "read" | "write" | "list" | "remove">;

/**
 * Files of this machine by paths whose links were resolved and that were judged so. Programs of the session go on running meanwhile, and could put a
 * link where a folder was: what is opened here is looked at once it is open, and where it is another file than the one that was judged nothing is
 * read or written.
 */
export const resolvedSteps: FileSteps = {
  async read(file, { maxBytes, signal }) {
    // Without waiting: a pipe nobody writes to may have come in its place.
    const handle = await fs.open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
    try {
      assertAt(handle.fd, file);
      const { size } = await handle.stat();
      if (size > maxBytes) throw new ToolFailure(`${file} has ${size} bytes; at most ${maxBytes} can be read here`);
      return await handle.readFile({ signal });
    } finally {
      await handle.close();
    }
  },
  async write(file, data) {
    using folder = openFolder(path.dirname(file), { isMade: true });
    await writeFileAtomic(folder.at(path.basename(file)), data, { followsLinks: false });
  },
  async list(folder) {
    using open = openFolder(folder);
    return await fs.readdir(open.at("."));
  },
  async remove(file) {
    using folder = openFolder(path.dirname(file));
    await fs.unlink(folder.at(path.basename(file)));
  },
};

/** A folder that is held open: what is done in it is done there, wherever its path leads by then. */
interface OpenFolder extends Disposable {
  at(name: string): string;
}

/** Linux: a folder that is entered without being read. */
const onlyEnter = 0o10000000;
const asFolder = constants.O_DIRECTORY ?? 0;

function openFolder(folder: string, { isMade = false }: { readonly isMade?: boolean } = {}): OpenFolder {
  const missing: string[] = [];
  let at = folder;
  for (; isMade && !existsSync(at) && path.dirname(at) !== at; at = path.dirname(at))
    missing.unshift(path.basename(at));
  if (process.platform !== "linux") return plainFolder(at, missing);
  let descriptor = openSync(at, onlyEnter | asFolder);
  try {
    assertAt(descriptor, at);
    for (const name of missing) {
      const child = `${descriptorPath(descriptor)}/${name}`;
      makeOne(child);
      const next = openSync(child, onlyEnter | asFolder | constants.O_NOFOLLOW);
      closeSync(descriptor);
      descriptor = next;
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return { at: (name) => `${descriptorPath(descriptor)}/${name}`, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** Where no path leads through an open folder it is looked at as late as possible. */
function plainFolder(existing: string, missing: readonly string[]): OpenFolder {
  assertUnlinked(existing);
  const folder = missing.reduce((inside, name) => {
    makeOne(path.join(inside, name));
    return path.join(inside, name);
  }, existing);
  assertUnlinked(folder);
  return { at: (name) => path.join(folder, name), [Symbol.dispose]: () => undefined };
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error; // Somebody else made it meanwhile.
  }
}

const descriptorPath = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

function assertAt(descriptor: number, file: string): void {
  if (process.platform !== "linux") assertUnlinked(file);
  else if (readlinkSync(descriptorPath(descriptor)) !== file) throw moved(file);
}

function assertUnlinked(file: string): void {
  if (realpathSync(file) !== file) throw moved(file);
}

function moved(file: string): ToolFailure {
  return new ToolFailure(
    `${file} leads elsewhere by now: something put a link into its path. Nothing was done. Try again.`,
  );
}
