import { statSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";

/** What the prompt needs from the file system where the project lives. */
export interface WorkspaceFiles {
  /** Links are followed. What cannot be looked at counts as absent. */
  kindOf(path: string): Promise<"file" | "folder" | "absent">;
  /** Undefined when there is no such file; throws when it is too large or may not be read. */
  readText(path: string, maxBytes: number): Promise<string | undefined>;
  /** Sorted by name; a folder that cannot be listed is an error. */
  list(folder: string): Promise<readonly WorkspaceEntry[]>;
  /** The path behind every link; throws when nothing is there. */
  realPath(path: string): Promise<string>;
}

interface WorkspaceEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
}

export const localFiles: WorkspaceFiles = {
  async kindOf(path) {
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) return "absent";
      return found.isDirectory() ? "folder" : "file";
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      return "absent";
    }
  },
  readText: (path, maxBytes) => readTextFile(path, { maxBytes }),
  async list(folder) {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .map((entry) => ({
        name: entry.name,
        kind: entry.isDirectory() ? ("folder" as const) : entry.isFile() ? ("file" as const) : ("other" as const),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  },
  realPath: (path) => realpath(path),
};
