import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { type Confinement, isBroad, isWithin, judgeRead, judgeWrite } from "../confinement/confinement.ts";
import { isDangerousGitSetting, settingsIn } from "../confinement/git/git-settings.ts";
import { masksOf } from "../confinement/masks.ts";
import { readCommandLine } from "../shell/read-line.ts";
import type { Argument, SimpleCommand } from "../shell/simple-command.ts";
import type { DetectLocation } from "./detector/detect.ts";
import { isReadOnlyCommand } from "./detector/read-only-command.ts";
import { patternOf } from "./structure/paths.ts";

/** What shows more than the files it is given: other people's processes, the machine. */
const lookFurther: ReadonlySet<string> = new Set(["ps", "printenv", "jq", "type"]);

/** What makes files and can do nothing else with these options. */
const makers: ReadonlyMap<string, RegExp> = new Map([
  ["mkdir", /^(?:-[pv]+|--parents|--verbose)$/],
  ["touch", /^(?:-c|--no-create)$/],
  ["cp", /^(?:-[nv]+)$/],
  ["mv", /^(?:-[nv]+)$/],
]);

const printers: ReadonlySet<string> = new Set(["echo", "printf"]);

/**
 * Whether a command can be let through without a question where nothing holds programs inside. Only what is known to do
 * nothing but look at, or make, files of the workspace: no interpreter, no build, no network, no program that is not in a
 * short list, no path whose end is not known.
 */
export function isHarmlessUnheld(command: string, location: DetectLocation, wall: Confinement): boolean {
  if (isBroad(wall)) return false;
  const line = readCommandLine(command, location);
  if (line.problems.length > 0 || line.forkBombs.length > 0 || line.commands.length === 0) return false;
  if (line.traits.size > 0) return false;
  const isLooking = isReadOnlyCommand(command, location);
  if (!isLooking && !line.commands.every((one) => isMaking(one, location, wall))) return false;
  return line.commands.every((one) => !lookFurther.has(one.name ?? "") && mayTouch(one, { location, wall }));
}

/** Writes files of the workspace by means that do nothing else. */
function isMaking(command: SimpleCommand, location: DetectLocation, wall: Confinement): boolean {
  const { name, args, writes, wrappers, nameFrom, substituted, reads, upstream, assigns } = command;
  if (name === undefined || nameFrom !== "literal" || wrappers.length > 0 || command.isBackground) return false;
  if (substituted.length > 0 || reads.length > 0 || upstream.length > 0 || assigns.length > 0) return false;
  if (command.path !== name) return false;
  const mayWrite = (argument: Argument): boolean => {
    if (!argument.isKnown || argument.hasGlob) return false;
    const target = patternOf(argument, command, location);
    return target !== undefined && isWithin(wall.workspace, target) && judgeWrite(wall, target).kind === "allowed";
  };
  if (!writes.every(({ target }) => mayWrite(target))) return false;
  if (printers.has(name)) return args.every(({ isKnown }) => isKnown);
  const options = makers.get(name);
  if (options === undefined) return false;
  return args.every((arg) => (arg.text.startsWith("-") ? options.test(arg.text) : mayWrite(arg)));
}

/** Every word that may be a path leads to something that may be read; git obeys nothing of the repository. */
function mayTouch(
  command: SimpleCommand,
  { location, wall }: { readonly location: DetectLocation; readonly wall: Confinement },
): boolean {
  if (command.name === "git" && !isPlainRepository(wall.workspace)) return false;
  const cwd = command.cwd;
  if (cwd === undefined || !isWithin(wall.workspace, location.realPath?.(cwd) ?? cwd)) return false;
  if (printers.has(command.name ?? "")) return command.args.every(({ isKnown }) => isKnown);
  const words = [...command.args, ...command.reads].flatMap((one) => [one, ...pathValueOf(one)]);
  const hidden = hiddenIn(wall);
  const here = location.realPath?.(cwd) ?? cwd;
  if (readsHere(command) && hidden.some((file) => isWithin(here, file))) return false;
  return words.every((word) => {
    if (!word.isKnown) return false;
    const target = patternOf(word, command, location);
    if (target === undefined) return false;
    const folder = word.hasGlob
      ? target.slice(0, Math.max(1, target.search(/[*?[{]/))).replace(/\/[^/]*$/, "")
      : target;
    if (judgeRead(wall, folder).kind !== "allowed") return false;
    if (isWithin(wall.workspace, folder)) return !hidden.some((file) => isWithin(folder, file) && isFolder(folder));
    return !word.hasGlob && (!existsSync(target) || !isFolder(target));
  });
}

/** A searcher without a path reads where it stands, and git shows what its history holds. */
function readsHere({ name = "", args }: SimpleCommand): boolean {
  const words = args.map(({ text }) => text);
  if (name === "git")
    return words.some((word) =>
      /^(?:diff|show|grep|blame|annotate|cat-file|whatchanged|-p|-u|--patch.*|-[GS].*)$/.test(word),
    );
  const paths = words.filter((word) => !word.startsWith("-")).length;
  if (/^(?:grep|egrep|fgrep|zgrep|rg)$/.test(name)) return paths < 2;
  return (name === "find" || name === "tree") && paths < 1;
}

/** `--file=/etc/passwd` names a path too. */
function pathValueOf(argument: Argument): readonly Argument[] {
  const match = /^-{1,2}[\w-]+=(.+)$/.exec(argument.text) ?? /^-[a-zA-Z]([/~.].*)$/.exec(argument.text);
  return match === null ? [] : [{ ...argument, text: match[1] ?? "" }];
}

/** Files of the workspace that a sandbox would have hidden. */
function hiddenIn(wall: Confinement): readonly string[] {
  return masksOf(wall, wall.workspace)
    .map(({ path: file }) => file)
    .filter((file) => isWithin(wall.workspace, file));
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** No setting of the repository starts a program. */
function isPlainRepository(workspace: string): boolean {
  const config = path.join(workspace, ".git", "config");
  try {
    return !settingsIn(readFileSync(config, "utf8")).some(isDangerousGitSetting);
  } catch {
    // No repository, or one whose settings lie elsewhere: then git is asked about.
    return false;
  }
}
