import fs from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import { ToolFailure } from "../contract/result.ts";
import type { FileFacts, TerminalFiles } from "../contract/terminal.ts";
import { resolvedSteps } from "./resolved-files.ts";

/** Files of this machine. */
const byName: Omit<TerminalFiles, "resolved"> = {
  async read(file, { maxBytes, signal }) {
    signal.throwIfAborted();
    const handle = await named(file, "read", () => fs.open(file, "r"));
    try {
      const { size } = await handle.stat();
      if (size > maxBytes) throw new ToolFailure(`${file} has ${size} bytes; at most ${maxBytes} can be read here`);
      return await named(file, "read", () => handle.readFile({ signal }));
    } finally {
      await handle.close();
    }
  },
  async write(file, data, signal) {
    signal.throwIfAborted();
    await named(file, "write", async () => {
      await fs.mkdir(path.dirname(file), { recursive: true });
      await writeFileAtomic(file, data);
    });
  },
  async stat(file, { followLinks, signal }) {
    signal.throwIfAborted();
    try {
      const facts = await (followLinks ? fs.stat(file) : fs.lstat(file));
      return { kind: kindOf(facts), size: facts.size, modifiedMs: facts.mtimeMs, mode: facts.mode & 0o7777 };
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return undefined;
      throw readable(file, "look at", error);
    }
  },
  async list(folder, signal) {
    signal.throwIfAborted();
    return named(folder, "list", () => fs.readdir(folder));
  },
  async remove(file, signal) {
    signal.throwIfAborted();
    await named(file, "remove", () => fs.rm(file));
  },
  async rename(from, to, signal) {
    signal.throwIfAborted();
    await named(from, "move", async () => {
      await fs.mkdir(path.dirname(to), { recursive: true });
      await fs.rename(from, to);
    });
  },
  async realPath(file, signal) {
    signal.throwIfAborted();
    return realPathOf(file);
  },
};

const resolved: TerminalFiles = {
  ...byName,
  async read(file, options) {
    options.signal.throwIfAborted();
    return await named(file, "read", () => resolvedSteps.read(file, options));
  },
  async write(file, data, signal) {
    signal.throwIfAborted();
    await named(file, "write", () => resolvedSteps.write(file, data, signal));
  },
  async list(folder, signal) {
    signal.throwIfAborted();
    return await named(folder, "list", () => resolvedSteps.list(folder, signal));
  },
  async remove(file, signal) {
    signal.throwIfAborted();
    await named(file, "remove", () => resolvedSteps.remove(file, signal));
  },
};

export const localFiles: TerminalFiles = { ...byName, resolved };

/** Resolves what exists; the rest cannot be a link yet and is appended as it is. */
async function realPathOf(file: string): Promise<string> {
  try {
    return await fs.realpath(file);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") return file;
    const target = await danglingTarget(file);
    if (target !== undefined) return realPathOf(target);
    const parent = path.dirname(file);
    return parent === file ? file : path.join(await realPathOf(parent), path.basename(file));
  }
}

/** Where a link leads that leads nowhere: a write through it would create that file. */
async function danglingTarget(file: string): Promise<string | undefined> {
  try {
    return path.resolve(path.dirname(file), await fs.readlink(file));
  } catch {
    return undefined;
  }
}

function kindOf(facts: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileFacts["kind"] {
  if (facts.isFile()) return "file";
  if (facts.isDirectory()) return "directory";
  return facts.isSymbolicLink() ? "link" : "other";
}

async function named<T>(file: string, act: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw readable(file, act, error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
  EROFS: "the file system is read-only",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "too many links",
};

/** What the model can act on stays a failure it can read; everything else is a bug. */
function readable(file: string, act: string, error: unknown): unknown {
  const code = systemErrorCode(error);
  if (error instanceof ToolFailure || code === undefined || code === "ABORT_ERR") return error;
  return fileFailure(file, { act, code }, error);
}

/** What could not be done with a file, as the model reads it; `code` as the system names it. */
export function fileFailure(
  file: string,
  { act, code }: { readonly act: string; readonly code: string },
  cause?: unknown,
): ToolFailure {
  return new ToolFailure(`Could not ${act} ${file}: ${reasons[code] ?? code}`, {}, { cause });
}
