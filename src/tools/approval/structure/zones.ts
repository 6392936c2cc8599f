import {
  guardedPaths,
  publicInSecret,
  secretHomePaths,
  secretSystemPaths,
  startHomePaths,
} from "../protected-places.ts";
import { below, isInside, type PathPlace, patternOf } from "./paths.ts";
import { globExpression } from "./shell/patterns.ts";
import { type Argument, hasUnknown, type SimpleCommand } from "./simple-command.ts";

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

export function zoneOf(argument: Argument, command: SimpleCommand, place: PathPlace): Zone {
  const target = patternOf(argument, command, place);
  return target === undefined ? "unknown" : zoneOfPath(target, argument.hasGlob, place);
}

function zoneOfPath(target: string, hasGlob: boolean, place: PathPlace): Zone {
  if (sinks.test(target)) return "nowhere";
  if (target.startsWith("/dev/")) return "device";
  if (isOwn(target, place)) return "own";
  const folder = hasGlob || hasUnknown(target) ? knownFolder(target) : target;
  const home = below(folder, place.home);
  const workspace = place.workspace;
  const isHomeWorkspace = workspace !== undefined && isInside(place.home, workspace);
  if (home !== undefined && startHomePaths.some((one) => one.test(home)) && !isWithinProject(folder, place))
    return "guarded";
  if (isGuarded(target, hasGlob)) return "guarded";
  if (workspace !== undefined && isInside(folder, workspace)) {
    if (!isHomeWorkspace) return "workspace";
    // A home folder as workspace: what is hidden in it, and the system around it, is not the work.
    return home !== undefined && home !== "" && !home.startsWith(".")
      ? "workspace"
      : home === ""
        ? "workspace"
        : "guarded";
  }
  return place.tempDirs.some((one) => isInside(folder, one)) ? "temp" : "outside";
}

/** A project below the home folder may have folders named like those of a home. */
function isWithinProject(target: string, place: PathPlace): boolean {
  return place.workspace !== undefined && place.workspace !== place.home && isInside(target, place.workspace);
}

/** The folder up to the first piece that is not known. */
function knownFolder(target: string): string {
  const at = target.search(/[\ufdd1\ufdd2*?[]/);
  return at < 0 ? target : target.slice(0, Math.max(1, target.lastIndexOf("/", at)));
}

function isOwn(target: string, place: PathPlace): boolean {
  return isInside(target, place.hermesHome) || isInside(target, `${place.home}/.hermes`);
}

export function isGuarded(target: string, hasGlob: boolean): boolean {
  if (guardedPaths.some((one) => one.test(target))) return true;
  return hasGlob && guardedSamples.some((sample) => couldMatch(target, sample));
}

const guardedSamples = [
  ".git/hooks/pre-commit",
  ".git/config",
  ".git/HEAD",
  ".husky/pre-commit",
  ".vscode/settings.json",
  ".envrc",
];

/** Whether a path with globs may find something that ends in these names. */
function couldMatch(pattern: string, sample: string): boolean {
  const given = pattern.split("/").slice(-sample.split("/").length);
  const wanted = sample.split("/");
  if (!given.some((part) => /[*?[]/.test(part)) || !given.some((part) => part.startsWith("."))) return false;
  return given.length === wanted.length && given.every((part, index) => globExpression(part).test(wanted[index] ?? ""));
}

/** Whether a path is, or may be, one of the places where secrets lie. */
export function isSecret(argument: Argument, command: SimpleCommand, place: PathPlace): boolean {
  const target = patternOf(argument, command, place);
  if (target === undefined) return false;
  return isSecretPath(target, argument.hasGlob, place);
}

export function isSecretPath(target: string, hasGlob: boolean, place: PathPlace): boolean {
  if (isOwn(target, place)) return true;
  if (secretSystemPaths.some((one) => one.test(target))) return true;
  if (publicInSecret.test(target)) return false;
  const home = homeOf(target, place);
  if (home === undefined) return false;
  if (home === "") return false;
  const isNamed = secretHomePaths.some((one) =>
    one.endsWith("/") ? home === one.slice(0, -1) || home.startsWith(one) : home === one,
  );
  return isNamed || (hasGlob && secretHomePaths.some((one) => mayReach(home, one)));
}

/** The path below a home folder, of whoever it is. */
function homeOf(target: string, place: PathPlace): string | undefined {
  const own = below(target, place.home);
  if (own !== undefined) return own;
  return /^\/(?:home|Users)\/[^/]+\/(.*)$/.exec(target)?.[1] ?? below(target, "/root");
}

/** A pattern such as `.s??` reaches `.ssh`; a bare star does not find hidden names. */
function mayReach(pattern: string, secret: string): boolean {
  const given = pattern.split("/");
  const wanted = secret.replace(/\/$/, "").split("/");
  if (given.length < wanted.length && !secret.endsWith("/")) return false;
  return wanted.every((part, index) => {
    const one = given[index];
    if (one === undefined) return false;
    return (one.startsWith(".") || !part.startsWith(".")) && globExpression(one).test(part);
  });
}
