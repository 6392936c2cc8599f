import { open, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "#foundation/errors";
import { writeFileAtomic } from "#foundation/files/files";
import { quote } from "../shell/shell-script.ts";
import { readReport, type ShellReport } from "../shell/shell-state.ts";
import { TerminalGone } from "../terminal-gone.ts";

const maxReportBytes = 16 * 1_048_576;
/** The kernel takes no single argument longer than 128 KiB. */
export const longestArgument = 100_000;

/** Programs of the session write in the folder too, and could put a link there that leads out of the wall. */
const own = { mode: 0o600, fsync: false, followsLinks: false } as const;

/** The private folder of a terminal: the functions of its shells, and the report of each command while it runs. */
export class ShellFiles implements AsyncDisposable {
  readonly folder: string;
  #count = 0;
  #functions = "";

  constructor(folder: string) {
    this.folder = folder;
  }

  get functionsFile(): string {
    return path.join(this.folder, "functions.sh");
  }

  /** What the functions file holds. */
  get functions(): string {
    return this.#functions;
  }

  async newReport(): Promise<string> {
    this.#count += 1;
    const file = path.join(this.folder, `report-${this.#count}`);
    try {
      const handle = await open(file, "wx", 0o600);
      await handle.close();
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") throw error;
      throw new TerminalGone("the folder of the terminal was deleted", { mayHaveRun: false, cause: error });
    }
    return file;
  }

  async takeReport(file: string): Promise<ShellReport> {
    try {
      const bytes = await readFile(file);
      return bytes.length > maxReportBytes ? { kind: "none" } : readReport(bytes.toString("utf8"));
    } catch (error) {
      // The command may have deleted the folder; the next call finds out and a new terminal is made.
      if (systemErrorCode(error) === "ENOENT") return { kind: "none" };
      throw error;
    } finally {
      await Promise.all([file, `${file}.names`].map((one) => rm(one, { force: true })));
    }
  }

  /** The command as an argument; one that is too long goes through a file. */
  async commandArgument(command: string): Promise<string> {
    if (Buffer.byteLength(command) <= longestArgument) return command;
    this.#count += 1;
    const file = path.join(this.folder, `command-${this.#count}.sh`);
    await writeFileAtomic(file, command, own);
    return `. ${quote(file)}`;
  }

  async saveFunctions(functions: string): Promise<void> {
    if (functions === this.#functions) return;
    this.#functions = functions;
    try {
      await writeFileAtomic(this.functionsFile, `${functions}\n`, own);
    } catch (error) {
      if (systemErrorCode(error) !== "ENOENT") throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
