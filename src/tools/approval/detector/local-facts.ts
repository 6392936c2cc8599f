import fs from "node:fs";
import path from "node:path";
import { findExecutable } from "#foundation/process/platform";
import type { DetectLocation } from "./detect.ts";

const maxScriptBytes = 256 * 1024;

/**
 * What judging a command may look up on this machine: which programs there are, where links lead, what is in a script
 * that was written since the session began.
 */
export function localFacts(options: {
  readonly searchPath: string | undefined;
  /** Folders a session may write: a program there may be anything. */
  readonly writable: readonly string[];
  readonly sinceMs: number;
}): Required<Pick<DetectLocation, "resolve" | "realPath" | "readWritten">> {
  const isWritable = (file: string): boolean =>
    options.writable.some((folder) => file === folder || file.startsWith(`${folder}/`));
  const folders = (options.searchPath ?? "")
    .split(path.delimiter)
    .filter((one) => path.isAbsolute(one) && !isWritable(one));
  return {
    resolve(name) {
      const found = findExecutable(name, { PATH: folders.join(path.delimiter) });
      return found === undefined || isWritable(found) ? undefined : found;
    },
    realPath,
    readWritten(file) {
      try {
        const facts = fs.statSync(file);
        if (!facts.isFile() || facts.mtimeMs < options.sinceMs || facts.size > maxScriptBytes) return undefined;
        const text = fs.readFileSync(file, "utf8");
        return text.includes("\u0000") ? undefined : text;
      } catch (error) {
        return notThere(error);
      }
    },
  };
}

/** Where a path really leads; of a path that does not exist, the part that does. */
function realPath(file: string): string {
  for (let at = file; ; at = path.dirname(at)) {
    try {
      return path.join(fs.realpathSync(at), path.relative(at, file));
    } catch (error) {
      notThere(error);
      if (at === path.dirname(at)) return file;
    }
  }
}

/** A file that cannot be looked at is judged without. */
function notThere(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (
    code === "ENOENT" ||
    code === "ENOTDIR" ||
    code === "EACCES" ||
    code === "ELOOP" ||
    code === "EPERM" ||
    code === "ENAMETOOLONG" ||
    code === "EINVAL"
  )
    return undefined;
  throw error;
}
