import type { CommandLine, SimpleCommand } from "../../../shell/simple-command.ts";

const secretName = /KEY|TOKEN|SECRET|PASS|CRED|PRIVATE/i;

/** `echo "$API_TOKEN"`: a secret is printed where a model reads it; on its way into another program it is used. */
export function tellsSecret(command: SimpleCommand, line: CommandLine): boolean {
  if (command.name !== "echo" && command.name !== "printf") return false;
  if (!command.args.some(({ sources }) => sources.some((one) => one.startsWith("$") && secretName.test(one))))
    return false;
  const isHandedOn = command.writes.length > 0 || command.wrappers.includes("substitution");
  return !isHandedOn && !line.commands.some(({ upstream }) => upstream.includes(command));
}
