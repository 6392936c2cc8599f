import { PathTable } from "../../confinement/path-table.ts";
import { guardedInWorkspace, homeSecrets, systemSecrets } from "../../confinement/secret-locations.ts";
import { globExpression } from "../../shell/reading/patterns.ts";
import { type Argument, hasUnknown, type SimpleCommand } from "../../shell/simple-command.ts";
import { gitFolder, obeyedFiles, publicInSecret, startHomePaths } from "../protected-locations.ts";
import { below, isInside, type PathLocation, patternOf } from "./paths.ts";

/** What kind of location a path is in, for whoever writes or deletes there. */
export type Zone =
  /** Swallows or passes on what is written: `/dev/null`, a terminal. */
  | "nowhere"
  | "temp"
  | "workspace"
  /** In reach, but what lies there is obeyed or run by itself. */
  | "guarded"
  /** Hermes' own folder. */
  | "own"
  | "device"
  | "outside"
  | "unknown";

const sinks =
  /^\/dev\/(?:null|zero|full|u?random|stdin|stdout|stderr|tty|ptmx|pts\/\d+|fd(?:\/\d+)?|shm(?:\/.*)?)$|^\/proc\/self\/fd\/\d+$/;
const homeTable = new PathTable(homeSecrets);
const systemTable = new PathTable(systemSecrets);
const guardedTable = new PathTable(guardedInWorkspace);

export function zoneOf(argument: Argument, command: SimpleCommand, location: PathLocation): Zone {
  const target = patternOf(argument, command, location);
  return target === undefined ? "unknown" : zoneOfPath(target, argument.hasGlob, location);
}

function zoneOfPath(target: string, hasGlob: boolean, location: PathLocation): Zone {
  if (sinks.test(target)) return "nowhere";
  if (target.startsWith("/dev/")) return "device";
  if (isOwn(target, location)) return "own";
  const folder = hasGlob || hasUnknown(target) ? knownFolder(target) : target;
  const home = below(folder, location.home);
  const { workspace } = location;
  const isProject = workspace !== undefined && !isInside(location.home, workspace) && isInside(folder, workspace);
  if (home !== undefined && !isProject && startHomePaths.some((one) => one.test(home))) return "guarded";
  if (isGuarded(target, hasGlob)) return "guarded";
  if (isProject) return "workspace";
  if (workspace !== undefined && isInside(folder, workspace)) {
    // A home folder as workspace: what is hidden in it, and the system around it, is not the work.
    return home === undefined || home.startsWith(".") ? "guarded" : "workspace";
  }
  return [...location.tempDirs, ...(location.writable ?? [])].some((one) => isInside(folder, one)) ? "temp" : "outside";
}

/** The folder up to the first piece that is not known. */
function knownFolder(target: string): string {
  const at = target.search(/[\ufdd1\ufdd2*?[]/);
  return at < 0 ? target : target.slice(0, Math.max(1, target.lastIndexOf("/", at)));
}

export function isOwn(target: string, location: PathLocation): boolean {
  if (/[*?[]/.test(target) && mayBeOwn(target, location)) return true;
  return isInside(target, location.hermesHome) || isInside(target, `${location.home}/.hermes`);
}

/** A pattern that spells the name of the folder in another way. */
function mayBeOwn(target: string, { home, hermesHome }: PathLocation): boolean {
  return [hermesHome, `${home}/.hermes`].some((own) => {
    const wanted = own.split("/");
    const input = target.split("/");
    return (
      input.length >= wanted.length &&
      wanted.every((part, at) => {
        const one = input[at] ?? "";
        return one === part || (/^\.?[^*?[]*[*?[]/.test(one) && one.startsWith(".") && globExpression(one).test(part));
      })
    );
  });
}

export function isGuarded(target: string, hasGlob: boolean): boolean {
  if (gitFolder.test(target) || obeyedFiles.test(target)) return true;
  const names = target.split("/").filter((name) => name !== "");
  // Submodules and nested projects have the same files as the one at the top.
  if (names.some((_, from) => guardedTable.find(names.slice(from).join("/")) !== undefined)) return true;
  return hasGlob && guardedInWorkspace.some((entry) => couldEndIn(names, entry));
}

/** Whether a path with globs may find something that ends in these names. */
function couldEndIn(names: readonly string[], entry: string): boolean {
  const wanted = entry.replace(/\/$/, "/x").split("/");
  const input = names.slice(-wanted.length);
  if (input.length < wanted.length || !input.some((part) => part.startsWith("."))) return false;
  return input.every((part, index) => wanted[index] === "x" || globExpression(part).test(wanted[index] ?? ""));
}

/** Whether a path is, or may be, one of the places where secrets lie. */
export function isSecretPath(target: string, hasGlob: boolean, location: PathLocation): boolean {
  if (isOwn(target, location)) return true;
  if (publicInSecret.test(target)) return false;
  if (systemTable.find(target.slice(1)) !== undefined || isInside(target, "/root")) return true;
  const home = homeOf(target, location);
  if (home === undefined || home === "") return false;
  if (homeTable.find(home) !== undefined || homeTable.find(`${home}/x`) !== undefined) return true;
  return hasGlob && homeSecrets.some((one) => mayReach(home, one));
}

/** The path below a home folder, of whoever it is. */
function homeOf(target: string, location: PathLocation): string | undefined {
  return below(target, location.home) ?? /^\/(?:home|Users)\/[^/]+\/(.*)$/.exec(target)?.[1];
}

/** A pattern such as `.s??` reaches `.ssh`; a bare star does not find hidden names. */
function mayReach(pattern: string, secret: string): boolean {
  const input = pattern.split("/");
  const wanted = secret.replace(/\/$/, "").split("/");
  if (input.length < wanted.length) return false;
  return wanted.every((part, index) => {
    const one = input[index] ?? "";
    return (one.startsWith(".") || !part.startsWith(".")) && globExpression(one).test(part.replaceAll("*", "x"));
  });
}
