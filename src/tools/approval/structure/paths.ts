import path from "node:path";
import { protectedHomeFiles, protectedHomeFolders } from "../protected-places.ts";
import { absolute } from "./read-line.ts";
import type { Argument, SimpleCommand } from "./simple-command.ts";

/** Where paths of a command line are judged from. */
export interface PathPlace {
  readonly home: string;
  readonly tempDirs: readonly string[];
  /** The directory the task works in. */
  readonly workspace: string | undefined;
  readonly hermesHome: string;
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
export function pathOf(argument: Argument, command: SimpleCommand, place: PathPlace): string | undefined {
  const text = argument.text.replace(/\/?\*+$/, (stars) => (argument.hasGlob ? "" : stars));
  const isRootGlob = argument.hasGlob && /^\/?\*+$/.test(argument.text);
  if (isRootGlob) return argument.text.startsWith("/") ? "/" : command.cwd;
  if (text.includes("\u0000")) return undefined;
  if (!/^[/~]/.test(text) && command.cwd === undefined) return undefined;
  return absolute(text === "" ? "." : text, command.cwd ?? "/", place.home);
}

export type RootKind = "root" | "system" | "home";

/** Whether a path is one whose loss ends the machine or the user's life on it. */
export function rootKind(argument: Argument, command: SimpleCommand, place: PathPlace): RootKind | undefined {
  if (/^~[A-Za-z][\w-]*\/?\*?$/.test(argument.text)) return "home";
  const target = pathOf(argument, command, place);
  if (target === undefined) return undefined;
  if (target === "/") return "root";
  if (target === place.home) return "home";
  return systemRoots.includes(target) ? "system" : undefined;
}

export function isInside(target: string, folder: string): boolean {
  return target === folder || target.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** Files of the system or of the user's identity that nothing should overwrite by the way. */
export function isSensitive(argument: Argument, command: SimpleCommand, place: PathPlace): boolean {
  const target = pathOf(argument, command, place);
  if (target === undefined) return /\$?\{?HERMES_HOME\}?\/\.env/.test(argument.text);
  return (
    isInside(target, "/etc") ||
    target.startsWith("/dev/sd") ||
    isInside(target, path.posix.join(place.home, ".ssh")) ||
    target === path.posix.join(place.hermesHome, ".env") ||
    target === path.posix.join(place.home, ".hermes", ".env")
  );
}

export function isProtected(argument: Argument, command: SimpleCommand, place: PathPlace): boolean {
  const target = pathOf(argument, command, place);
  if (target === undefined) return false;
  const inHome = (name: string): string => path.posix.join(place.home, name);
  return (
    isSensitive(argument, command, place) ||
    protectedHomeFiles.some((name) => target === inHome(name)) ||
    protectedHomeFolders.some((name) => isInside(target, inHome(name))) ||
    /\/\.git\/hooks(?:\/|$)/.test(target) ||
    ["config.yaml", "auth.json"].some((name) => target === path.posix.join(place.hermesHome, name))
  );
}

/** Keys and passwords, for rules about reading them out. */
export function isSecretFile(argument: Argument, command: SimpleCommand, place: PathPlace): boolean {
  const target = pathOf({ ...argument, text: argument.text.replace(/^@/, "") }, command, place);
  if (target === undefined) return false;
  const inHome = (name: string): string => path.posix.join(place.home, name);
  return (
    (isInside(target, inHome(".ssh")) && !/\.pub$|known_hosts|\/config$/.test(target) && target !== inHome(".ssh")) ||
    isInside(target, inHome(".aws/credentials")) ||
    isInside(target, inHome(".gnupg")) ||
    [".netrc", ".pgpass", ".config/gh/hosts.yml", ".kube/config", ".docker/config.json"].some(
      (name) => target === inHome(name),
    ) ||
    ["/etc/shadow", "/etc/gshadow", "/etc/sudoers"].includes(target) ||
    [".env", "auth.json"].some((name) => target === path.posix.join(place.hermesHome, name))
  );
}

/** `.env`, `.env.local`, `config.yaml`: what a project is configured with. */
export function isProjectConfig(argument: Argument): boolean {
  const name = path.posix.basename(argument.text);
  return name === ".env" || /^\.env\.[\w.-]+$/.test(name) || name === "config.yaml";
}
