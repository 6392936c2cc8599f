import type { CommandLine, SimpleCommand } from "../../../shell/simple-command.ts";

/** A script that goes on, or only begins, when nobody looks any more: `./x & disown`, `(sleep 300; ./x) &`. */
export function staysBehind(command: SimpleCommand, line: CommandLine): boolean {
  if (!command.isBackground || !command.path.includes("/") || command.path.startsWith("/")) return false;
  return line.commands.some(({ name, isBackground }) => name === "disown" || (name === "sleep" && isBackground));
}
