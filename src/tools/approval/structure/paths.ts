import path from "node:path";
import { absolute } from "../../shell/read-line.ts";
import { type Argument, hasUnknown, type SimpleCommand, unknownText } from "../../shell/simple-command.ts";

/** Where paths of a command line are judged from. */
export interface PathLocation {
  readonly home: string;
  readonly tempDirs: readonly string[];
  /** The directory the task works in. */
  readonly workspace: string | undefined;
  readonly hermesHome: string;
  /** Further folders that a person gave to the session. */
  readonly writable?: readonly string[] | undefined;
  /** Where a path really leads, links followed; the path itself where nothing is known of it. */
  realPath?: ((path: string) => string) | undefined;
}

const systemRoots = [
  "/home",
  "/root",
  "/etc",
  "/usr",
  "/var",
  "/bin",
  "/sbin",
  "/boot",
  "/lib",
  "/lib64",
  "/System",
  "/Library",
  "/Applications",
  "/Users",
  "/opt",
  "/srv",
  "/dev",
  "/proc",
  "/sys",
];

/** The absolute path of an argument; a final `/*` is dropped, since all of a folder is the folder. */
export function pathOf(argument: Argument, command: SimpleCommand, location: PathLocation): string | undefined {
  const text = argument.text.replace(/\/?\*+$/, (stars) => (argument.hasGlob ? "" : stars));
  const isRootGlob = argument.hasGlob && /^\/?\*+$/.test(argument.text);
  if (isRootGlob) return argument.text.startsWith("/") ? "/" : command.cwd;
  if (hasUnknown(text)) return undefined;
  if (!/^[/~]/.test(text) && command.cwd === undefined) return undefined;
  return absolute(text === "" ? "." : text, command.cwd ?? "/", location.home);
}

/**
 * The absolute path of an argument as far as it is known: globs and unknown names stay in it as they are. Undefined when
 * not even its beginning is known.
 */
export function patternOf(argument: Argument, command: SimpleCommand, location: PathLocation): string | undefined {
  const { text } = argument;
  const known = text.includes(unknownText) ? text.slice(0, text.indexOf(unknownText)) : text;
  if (known !== text && !known.includes("/")) return undefined;
  if (!/^[/~]/.test(known) && command.cwd === undefined) return undefined;
  const found = absolute(known === "" ? "." : known, command.cwd ?? "/", location.home);
  return hasUnknown(found) || argument.hasGlob ? found : (location.realPath?.(found) ?? found);
}

export type RootKind = "root" | "system" | "home";

/** Whether a path is one whose loss ends the machine or the user's life on it. */
export function rootKind(argument: Argument, command: SimpleCommand, location: PathLocation): RootKind | undefined {
  if (/^~[A-Za-z][\w-]*\/?\*?$/.test(argument.text)) return "home";
  const target = pathOf(argument, command, location);
  if (target === undefined) return undefined;
  if (target === "/") return "root";
  if (target === location.home) return "home";
  return systemRoots.includes(target) ? "system" : undefined;
}

export function isInside(target: string, folder: string): boolean {
  return target === folder || target.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** The path below a folder; undefined when it is not below it, empty for the folder itself. */
export function below(target: string, folder: string): string | undefined {
  if (target === folder) return "";
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return target.startsWith(start) ? target.slice(start.length) : undefined;
}

/** Files of the system or of the user's identity that nothing should overwrite by the way. */
export function isSensitive(argument: Argument, command: SimpleCommand, location: PathLocation): boolean {
  const target = pathOf(argument, command, location);
  if (target === undefined) return false;
  return (
    isInside(target, "/etc") ||
    target.startsWith("/dev/sd") ||
    isInside(target, path.posix.join(location.home, ".ssh")) ||
    target === path.posix.join(location.hermesHome, ".env") ||
    target === path.posix.join(location.home, ".hermes", ".env")
  );
}

/** `.env`, `.env.local`, `config.yaml`: what a project is configured with. */
export function isProjectConfig(argument: Argument): boolean {
  const name = path.posix.basename(argument.text);
  return (
    name === ".env" ||
    (/^\.env\.[\w.-]+$/.test(name) && !/\.(?:example|sample|template|dist)$/.test(name)) ||
    name === "config.yaml"
  );
}
