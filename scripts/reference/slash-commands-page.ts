import { builtinCommands, commandCategories, type SlashCommand, type WhileRunning } from "#session";
import { code, page, table } from "./markdown.ts";

const runningWords: Readonly<Record<WhileRunning, string>> = {
  now: "at once",
  busy: "refused",
  next: "after it",
};

/** What a line beginning with a slash can say to a session. */
export function slashCommandsPage(): string {
  return page("Slash commands", [
    "What you can type into a conversation. A name may be shortened as long as it stays clear, and case does not count. Skills, " +
      "commands of plugins and your own (`quick_commands`) stand beside these; `/help` lists what this session has.",
    "*During a turn* says what happens when you type the command while Hermes works.",
    ...commandCategories.flatMap((category) => {
      const commands = builtinCommands.filter((command) => command.category === category);
      return [`## ${category}`, table(["command", "does", "during a turn", "where"], commands.map(rowOf))];
    }),
  ]);
}

function rowOf(command: SlashCommand): readonly string[] {
  const names = [command.name, ...(command.aliases ?? [])].map((name) => code(`/${name}`)).join(", ");
  const hint = command.argsHint === undefined ? "" : ` ${code(command.argsHint)}`;
  const during = command.whileRunningFor === undefined ? "" : "; some forms differ";
  return [`${names}${hint}`, command.description, `${runningWords[command.whileRunning]}${during}`, whereOf(command)];
}

function whereOf(command: SlashCommand): string {
  if (command.gatewayOnly === true) return "chats";
  if (command.gatewayConfigGate !== undefined) return `terminal; chats with ${code(command.gatewayConfigGate)}`;
  return command.cliOnly === true ? "terminal" : "everywhere";
}
