import type { Command, Flag } from "./command.ts";
import { globalFlags } from "./global-flags.ts";
import type { Style } from "./output/style.ts";
import { argumentText, nameOf } from "./parse.ts";

/** Headings over the commands of the first level, in the order a newcomer needs them. */
export interface HelpGroup {
  readonly title: string;
  readonly commands: readonly string[];
}

export interface HelpOptions {
  readonly style: Style;
  readonly groups: readonly HelpGroup[];
}

/** The help of one command: how it is called, what is below it, its options, examples. */
export function helpText(path: readonly Command[], options: HelpOptions): string {
  const command = path.at(-1);
  if (command === undefined) return "";
  const { style } = options;
  const isRoot = path.length === 1;
  const sections = [
    `${style.bold("Usage:")} ${usageOf(path)}`,
    command.about,
    ...(isRoot ? groupSections(command, options) : commandSection(command, style)),
    ...flagSection("Options", command.flags ?? [], style),
    ...flagSection("Options of every command", isRoot ? globalFlags : [], style),
    ...exampleSection(command, style),
  ];
  const more = isRoot
    ? `Help for one command: hermes <command> --help`
    : command.commands === undefined
      ? `Options of every command: hermes --help`
      : `Help for one of them: ${nameOf(path)} <command> --help`;
  return `${[...sections, style.dim(more)].join("\n\n")}\n`;
}

export function usageOf(path: readonly Command[]): string {
  const command = path.at(-1);
  const args = (command?.args ?? []).map(argumentText);
  const hasCommands = visible(command?.commands ?? []).length > 0;
  const children = hasCommands ? [command?.run === undefined ? "<command>" : "[command]"] : [];
  const flags = (command?.flags ?? []).some((flag) => flag.isHidden !== true) ? ["[options]"] : [];
  return [nameOf(path), ...children, ...args, ...flags].join(" ");
}

function groupSections(root: Command, { style, groups }: HelpOptions): readonly string[] {
  const commands = visible(root.commands ?? []);
  const named = new Set(groups.flatMap((group) => group.commands));
  const rest = commands.filter((command) => !named.has(command.name));
  const all = [...groups, ...(rest.length === 0 ? [] : [{ title: "More", commands: rest.map(({ name }) => name) }])];
  return all.flatMap((group) => {
    const members = group.commands.flatMap((name) => commands.filter((command) => command.name === name));
    return members.length === 0 ? [] : [section(group.title, commandRows(members), style)];
  });
}

function commandSection(command: Command, style: Style): readonly string[] {
  const members = visible(command.commands ?? []);
  return members.length === 0 ? [] : [section("Commands", commandRows(members), style)];
}

function commandRows(commands: readonly Command[]): readonly Row[] {
  return commands.map((command) => {
    const args = (command.args ?? []).map(argumentText).join(" ");
    return [args === "" ? command.name : `${command.name} ${args}`, command.about];
  });
}

function flagSection(title: string, flags: readonly Flag[], style: Style): readonly string[] {
  const shown = flags.filter((flag) => flag.isHidden !== true);
  return shown.length === 0 ? [] : [section(title, shown.map(flagRow), style)];
}

function flagRow(flag: Flag): Row {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value =
    flag.kind === "switch" ? "" : ` ${flag.kind === "optional-text" ? `[${valueText(flag)}]` : valueText(flag)}`;
  const choices = flag.choices === undefined ? "" : ` (${flag.choices.join(", ")})`;
  return [`${short}--${flag.name}${value}`, `${flag.about}${choices}`];
}

const valueText = (flag: Flag): string => flag.value ?? "<text>";

function exampleSection(command: Command, style: Style): readonly string[] {
  const { examples = [] } = command;
  return examples.length === 0 ? [] : [`${style.bold("Examples:")}\n${examples.map((one) => `  ${one}`).join("\n")}`];
}

type Row = readonly [string, string];

function section(title: string, rows: readonly Row[], style: Style): string {
  const width = Math.min(32, Math.max(...rows.map(([left]) => left.length)));
  const lines = rows.map(([left, right]) =>
    left.length > width ? `  ${left}\n  ${" ".repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`,
  );
  return `${style.bold(`${title}:`)}\n${lines.join("\n")}`;
}

const visible = (commands: readonly Command[]): readonly Command[] =>
  commands.filter((command) => command.isHidden !== true);
