import { isRecord } from "#foundation/text/json";

/** Where a tool call reaches: the folder it runs in, and the paths it names, as written. */
export interface ToolPaths {
  readonly workdir?: string;
  readonly paths: readonly string[];
}

const maxCommandCharacters = 10_000;
const maxPaths = 24;
const maxPathCharacters = 1_000;

export function pathsIn(toolName: string, args: unknown): ToolPaths {
  if (!isRecord(args)) return { paths: [] };
  const named = [args.path, args.file_path].filter(isUsable);
  const fromCommand = toolName === "terminal" && typeof args.command === "string" ? commandPaths(args.command) : [];
  const paths = [...new Set([...named, ...fromCommand])].slice(0, maxPaths);
  return isUsable(args.workdir) ? { workdir: args.workdir, paths } : { paths };
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
