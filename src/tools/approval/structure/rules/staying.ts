import { shells } from "../../../shell/reading/scripts.ts";
import type { CommandLine, SimpleCommand } from "../../../shell/simple-command.ts";

/** A script that goes on, or only begins, when nobody looks any more: `./x & disown`, `(sleep 300; ./x) &`. */
export function staysBehind(command: SimpleCommand, line: CommandLine): boolean {
  if (!command.isBackground || !isScript(command)) return false;
  return line.commands.some(({ name, isBackground }) => name === "disown" || (name === "sleep" && isBackground));
}

/** `./x`, or `sh x`. */
function isScript({ name = "", path, args }: SimpleCommand): boolean {
  if (shells.has(name)) return args.some((arg) => !/^[-+]/.test(arg.text));
  return path.includes("/") && !path.startsWith("/");
}
