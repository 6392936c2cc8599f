import { type Command, exitCodes, type Flag } from "../../src/cli/command.ts";
import { globalFlags } from "../../src/cli/global-flags.ts";
import { usageOf } from "../../src/cli/help.ts";
import { commandTree, helpGroups } from "../../src/cli/tree.ts";
import { code, fence, page, table } from "./markdown.ts";

const exitWords: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: "done",
  failed: "it did not work; the reason is on standard error",
  usage: "the line could not be understood",
  noProvider: "no model is connected",
  badConfig: "the settings cannot be used",
  denied: "something was not allowed",
  interrupted: "stopped by Ctrl-C",
};

/** Every word of the program, from the tree that help and completion come from. */
export function commandsPage(): string {
  const named = new Map((commandTree.commands ?? []).map((command) => [command.name, command]));
  return page("Commands", [
    `What can follow \`hermes\` in a shell. ${code("hermes <command> --help")} prints the same for one command.`,
    "## hermes",
    ...details([commandTree]),
    "### Options of every command",
    flagTable(globalFlags),
    "### Exit codes",
    table(
      ["code", "means"],
      Object.entries(exitCodes).map(([name, value]) => [String(value), exitWords[name as keyof typeof exitCodes]]),
    ),
    ...helpGroups.flatMap((group) => [
      `## ${group.title}`,
      ...group.commands.flatMap((name) => {
        const command = named.get(name);
        return command === undefined ? [] : sections([commandTree, command]);
      }),
    ]),
  ]);
}

/** A command and everything below it. */
function sections(path: readonly Command[]): readonly string[] {
  const command = path.at(-1);
  if (command === undefined || command.isHidden === true) return [];
  const heading = `${"#".repeat(Math.min(path.length + 1, 6))} ${path.map(({ name }) => name).join(" ")}`;
  const below = (command.commands ?? []).flatMap((child) => sections([...path, child]));
  return [heading, ...details(path), ...below];
}

function details(path: readonly Command[]): readonly string[] {
  const command = path.at(-1);
  if (command === undefined) return [];
  const aliases = command.aliases ?? [];
  return [
    fence(usageOf(path)),
    endWithStop(command.about),
    aliases.length === 0 ? "" : `Also: ${aliases.map(code).join(", ")}.`,
    command.interactiveOnly === undefined ? "" : `Needs a terminal. ${endWithStop(command.interactiveOnly)}`,
    flagTable(command.flags ?? []),
    command.examples === undefined ? "" : `Examples:\n\n${fence(command.examples.join("\n"))}`,
  ].filter((part) => part !== "");
}

function flagTable(flags: readonly Flag[]): string {
  const shown = flags.filter((flag) => flag.isHidden !== true);
  return shown.length === 0 ? "" : table(["option", "does"], shown.map(flagRow));
}

function flagRow(flag: Flag): readonly string[] {
  const short = flag.short === undefined ? "" : `${code(`-${flag.short}`)}, `;
  const value = flag.kind === "switch" ? "" : ` ${flag.value ?? "<text>"}`;
  const choices = flag.choices === undefined ? "" : ` (${flag.choices.join(", ")})`;
  return [`${short}${code(`--${flag.name}${value}`)}`, `${flag.about}${choices}`];
}

const endWithStop = (text: string): string => (/[.…!?>]$/.test(text) ? text : `${text}.`);
