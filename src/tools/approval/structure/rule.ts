import type { Argument, CommandLine, SimpleCommand } from "../../shell/simple-command.ts";
import type { PathLocation } from "./paths.ts";

/** What a rule may look at besides the command itself. */
export interface RuleContext {
  readonly line: CommandLine;
  readonly location: PathLocation;
  /** Position of the command in the line. */
  readonly index: number;
}

/** One thing a command may do that needs a person's word, or that never runs. */
export interface CommandRule {
  readonly id: string;
  /** What grants are stored under; also what a person reads. */
  readonly key: string;
  matches(command: SimpleCommand, context: RuleContext): boolean;
}

/** A rule for commands of given names. */
export function onNames(
  [id, key]: readonly [string, string],
  names: readonly string[],
  matches: CommandRule["matches"],
): CommandRule {
  return { id, key, matches: (command, context) => names.includes(command.name ?? "") && matches(command, context) };
}

export function hasOption(command: SimpleCommand, pattern: RegExp): boolean {
  return optionsOf(command).some((arg) => pattern.test(arg.text));
}

/** Dash-words before `--`. */
function optionsOf(command: SimpleCommand): readonly Argument[] {
  const end = command.args.findIndex((arg) => arg.text === "--");
  return command.args.slice(0, end < 0 ? undefined : end).filter((arg) => arg.text.startsWith("-") && arg.text !== "-");
}

/** Words that are not options. */
export function operandsOf(command: SimpleCommand): readonly Argument[] {
  const end = command.args.findIndex((arg) => arg.text === "--");
  if (end < 0) return command.args.filter((arg) => !arg.text.startsWith("-") || arg.text === "-");
  return [...command.args.slice(0, end).filter((arg) => !arg.text.startsWith("-")), ...command.args.slice(end + 1)];
}

/** The first words that are not options, for commands with sub-commands. */
export function subcommand(command: SimpleCommand, ...words: readonly string[]): boolean {
  const operands = operandsOf(command);
  return words.every((word, index) => operands[index]?.text === word);
}

export function isRecursive(command: SimpleCommand): boolean {
  return hasOption(
    command,
    /^-[a-zA-Z\ufdd0-\ufdd2]*[rR][a-zA-Z\ufdd0-\ufdd2]*$|^--r(?:e(?:c(?:u(?:r(?:s(?:i(?:ve?)?)?)?)?)?)?)?$/,
  );
}
