import { readOptions } from "../../../shell/programs/option-words.ts";
import { shells } from "../../../shell/reading/scripts.ts";
import { type CommandLine, literal, type SimpleCommand } from "../../../shell/simple-command.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import { styleOf } from "../programs/styles.ts";

/** `git clone x && cd y && ./install.sh`: a script that came from elsewhere a moment ago. */
export function runsCloned(command: SimpleCommand, line: CommandLine, location: PathLocation): boolean {
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
