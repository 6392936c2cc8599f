import { readOptions } from "../../../shell/programs/option-words.ts";
import { shells } from "../../../shell/reading/scripts.ts";
import { type CommandLine, literal, type SimpleCommand } from "../../../shell/simple-command.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import { styleOf } from "../programs/styles.ts";

/** `git clone x && cd y && ./install.sh`: a script that came from elsewhere a moment ago. */
export function runsCloned(command: SimpleCommand, line: CommandLine, location: PathLocation): boolean {
  if (buildsCloned(command, line, location) || buildsStrangers(command, location)) return true;
  const script = scriptOf(command);
  if (script === undefined) return false;
  const target = patternOf(script, command, location);
  if (target === undefined) return false;
  const at = line.commands.indexOf(command);
  return line.commands.slice(0, at).some((one) => {
    const folder = clonedFolder(one);
    const made = folder === undefined ? undefined : patternOf(literal(folder), one, location);
    return made !== undefined && isInside(target, made);
  });
}

/** What obeys the folder it is started in, or the one it is given. */
const obeying =
  /^(?:g?make|cmake|ninja|meson|npm|pnpm|yarn|bun|npx|pip3?|python[\d.]*|pipx|uv|poetry|cargo|go|mvn|gradle|sbt|ant|rake|bundle|composer|dotnet|swift|stack|cabal|mix|just|task|tox|docker-compose|docker|vagrant|pre-commit|direnv)$/;
/** Where most code that people work on is kept; what is cloned from there is as good as a package by its name. */
const codeHosts = /^(?:https:\/\/|ssh:\/\/git@|git@)(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)[/:]/;

/** `git clone <anywhere> && cd x && make`: code of nobody knows whom, built in the same breath. */
function buildsCloned(command: SimpleCommand, line: CommandLine, location: PathLocation): boolean {
  if (!obeying.test(command.name ?? "")) return false;
  const at = line.commands.indexOf(command);
  return line.commands.slice(0, at).some((one) => {
    const folder = clonedFolder(one);
    const address = one.args.find(({ text }) => /^(?:[a-z+]+:\/\/|[\w.-]+@[\w.-]+:)/.test(text))?.text ?? "";
    if (folder === undefined || address === "" || codeHosts.test(address)) return false;
    const made = patternOf(literal(folder), one, location);
    if (made === undefined) return false;
    return (
      (command.cwd !== undefined && isInside(command.cwd, made)) ||
      command.args.some((arg) => isInside(patternOf(arg, command, location) ?? "/", made))
    );
  });
}

/** `cd /tmp/x && make`: rules of a folder where anybody may have put them. */
function buildsStrangers(
  { name = "", cwd, args, wrappers }: SimpleCommand,
  { tempDirs, workspace }: PathLocation,
): boolean {
  if (cwd === undefined || wrappers.length > 0 || !buildingHere.test(name)) return false;
  if (workspace !== undefined && isInside(cwd, workspace)) return false;
  if (/^(?:init|create|new|--version|-v|help|view|info|pack)$/.test(args[0]?.text ?? "")) return false;
  return tempDirs.some((folder) => isInside(cwd, folder));
}

const buildingHere =
  /^(?:g?make|cmake|ninja|npm|pnpm|yarn|bun|cargo|mvn|gradle|rake|just|task|tox|docker-compose|vagrant)$/;

function scriptOf({ path, name = "", args }: SimpleCommand) {
  if (path.includes("/")) return literal(path);
  const isRunning = shells.has(name) || /^(?:python[\d.]*|perl|ruby|node|php|source|\.)$/.test(name);
  return isRunning ? args.find(({ text }) => !text.startsWith("-")) : undefined;
}

function clonedFolder({ name, args }: SimpleCommand): string | undefined {
  if (name !== "git") return undefined;
  const [action, address, folder] = readOptions(args, styleOf("git")).operands;
  if (action?.text !== "clone" || address === undefined) return undefined;
  return (
    folder?.text ??
    address.text
      .replace(/\/$/, "")
      .replace(/\.git$/, "")
      .split(/[/:]/)
      .at(-1)
  );
}
