import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type RequestMessage, textOf } from "#conversation";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { truncateEnd } from "#foundation/text/text";
import { fenceUntrusted, type Tool } from "#tools";
import { guardText, shownName } from "./guarded-text.ts";
import { expandHome, gitRootOf, isWithin, upwards } from "./project-root.ts";
import { localFiles, type WorkspaceFiles } from "./workspace-files.ts";

export interface NestedHintsOptions {
  readonly startDirectory: string;
  readonly log: Logger;
  /** Whether a person trusts a folder; if not, what its files say is material and no instruction. */
  isTrusted(folder: string): boolean;
  /** The file system the tools act on; a remote terminal needs its own. */
  readonly files?: WorkspaceFiles;
  /** The user's home, for `~`. */
  readonly home?: string;
  /** Hints that the history already holds, from {@link NestedHints.seenIn}. */
  readonly seen?: readonly string[];
}

const hintNames = ["AGENTS.md", "agents.md", "CLAUDE.md", "claude.md", ".cursorrules"];
const maxHintCharacters = 8_000;
const maxFileBytes = 1024 * 1024;
const maxAncestors = 5;
/** Code that others wrote does not give instructions here. */
const foreignFolders = /(?:^|[\\/])(?:node_modules|\.git)(?:[\\/]|$)/;

const headingStart = "[Instructions found in ";
const headingPattern = /^\[Instructions found in (.+)\]$/gm;

/**
 * Instructions in folders the agent walks into. They are appended to the tool result that led there, so the
 * system prompt stays as it is. Every folder is looked at once per session; the start directory is the
 * business of the prompt itself.
 */
export class NestedHints {
  readonly #options: NestedHintsOptions;
  readonly #files: WorkspaceFiles;
  readonly #home: string;
  readonly #checked: Set<string>;

  constructor(options: NestedHintsOptions) {
    this.#options = options;
    this.#files = options.files ?? localFiles;
    this.#home = options.home ?? homedir();
    this.#checked = new Set([resolve(options.startDirectory)]);
    for (const shown of options.seen ?? []) this.#checked.add(dirname(this.#absolute(shown, options.startDirectory)));
  }

  /** The files whose hints a history holds. A resumed session passes them on as `seen`, and repeats none of them. */
  static seenIn(messages: readonly RequestMessage[]): readonly string[] {
    const shown = messages
      .filter((message) => message.role === "tool")
      .flatMap((message) => [...textOf(message.content).matchAll(headingPattern)].map((match) => match[1] ?? ""));
    return [...new Set(shown.filter((path) => path !== ""))];
  }

  /** What to append to the result of this call: empty, or text that starts with a blank line. */
  async hintsFor(
    tool: Tool | undefined,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<string> {
    const { workdir, paths } = pathsIn(tool, args);
    const start = this.#options.startDirectory;
    const base = workdir === undefined ? start : this.#absolute(workdir, start);
    const input = [...(workdir === undefined ? [] : [base]), ...paths.map((path) => this.#absolute(path, base))];
    let text = "";
    for (const path of input) {
      for (const folder of await this.#newFolders(path)) {
        signal.throwIfAborted();
        text += await this.#hintOf(folder);
      }
    }
    return text;
  }

  #absolute(path: string, base: string): string {
    return resolve(base, expandHome(path, this.#home));
  }

  /** Folders not looked at before, outermost first; from here on they count as looked at. */
  async #newFolders(path: string): Promise<readonly string[]> {
    const folder = (await this.#files.kindOf(path)) === "folder" ? path : dirname(path);
    if (this.#checked.has(folder)) return [];
    const boundary = await this.#boundaryOf(folder);
    const fresh: string[] = [];
    // No waiting between the look and the note, so that two calls at once cannot both find a folder new.
    for (const candidate of upwards(folder, boundary).slice(0, maxAncestors + 1)) {
      if (this.#checked.has(candidate)) break;
      this.#checked.add(candidate);
      if (!foreignFolders.test(candidate)) fresh.unshift(candidate);
    }
    return fresh;
  }

  /** How far up a project reaches: its git root; without one, the start directory, or the folder alone elsewhere. */
  async #boundaryOf(folder: string): Promise<string> {
    const gitRoot = await gitRootOf(folder, this.#files);
    if (gitRoot !== undefined) return gitRoot;
    const start = resolve(this.#options.startDirectory);
    return isWithin(start, folder) ? start : folder;
  }

  async #hintOf(folder: string): Promise<string> {
    for (const name of hintNames) {
      const path = join(folder, name);
      const text = (await this.#read(path))?.trim() ?? "";
      if (text === "") continue;
      const shown = this.#shown(path);
      const guarded = guardText(text, shown, this.#options.log);
      const body = guarded.kind === "clean" ? shorten(guarded.text, basename(path)) : guarded.text;
      const words = this.#options.isTrusted(folder) ? body : fenceUntrusted(body, shown);
      return `\n\n${headingStart}${shown}]\n${words}`;
    }
    return "";
  }

  async #read(path: string): Promise<string | undefined> {
    try {
      return await this.#files.readText(path, maxFileBytes);
    } catch (error) {
      this.#options.log.debug("A hint file could not be read.", { file: path, cause: describe(error) });
      return undefined;
    }
  }

  /** Relative to the start directory when below it, `~/` when below the home, else the whole path. */
  #shown(path: string): string {
    const start = resolve(this.#options.startDirectory);
    if (isWithin(start, path)) return shownName(relative(start, path));
    const fromHome = relative(this.#home, path);
    return shownName(isWithin(this.#home, path) && !isAbsolute(fromHome) ? `~/${fromHome}` : path);
  }
}

function shorten(text: string, name: string): string {
  return truncateEnd(text, maxHintCharacters, `\n[... ${name} goes on; read the rest with the file tools]`);
}

/** Where a tool call reaches: the folder it runs in, and the paths it names, as written. */
export interface ToolPaths {
  readonly workdir?: string;
  readonly paths: readonly string[];
}

const maxCommandCharacters = 10_000;
const maxPaths = 24;
const maxPathCharacters = 1_000;

export function pathsIn(tool: Tool | undefined, args: Readonly<Record<string, unknown>>): ToolPaths {
  const named = [args["path"], args["file_path"]].filter(isUsable);
  const command = tool?.runs?.(args)?.command;
  const fromCommand = command === undefined ? [] : commandPaths(command);
  const paths = [...new Set([...named, ...fromCommand])].slice(0, maxPaths);
  return isUsable(args["workdir"]) ? { workdir: args["workdir"], paths } : { paths };
}

function isUsable(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= maxPathCharacters && !value.includes("\0");
}

/** Words of a command line that may be paths. A guess: a wrong one only means that a folder is looked at in vain. */
function commandPaths(command: string): readonly string[] {
  const words = command.slice(0, maxCommandCharacters).matchAll(/"([^"]*)"|'([^']*)'|[^\s;|&()<>"'`]+/g);
  return [...words].map((match) => match[1] ?? match[2] ?? match[0]).filter(mayBePath);
}

function mayBePath(word: string): boolean {
  if (!isUsable(word) || word.startsWith("-")) return false;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word) || /[\n$*?{}]/.test(word)) return false;
  return word.includes("/") || word.includes(".");
}
