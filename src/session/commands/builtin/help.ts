import { plural } from "#foundation/text/figures";
import { commandCategories, defineCommand, type SlashCommand } from "../command.ts";
import { type CommandCatalog, isAvailable } from "../registry.ts";
import { warn } from "../views.ts";

const perPage = 20;

export const helpCommand = defineCommand({
  name: "help",
  description: "Show the commands and keys, or explain one command",
  category: "Info",
  argsHint: "[command|all|skills]",
  whileRunning: "now",
  takes: [],
  complete: ({ catalog }) => Promise.resolve(offered(catalog).map(({ name }) => name)),
  async run({ catalog, args }) {
    const asked = args.trim().replace(/^\//, "").toLowerCase();
    if (asked === "") return { kind: "markdown", text: shortHelp(catalog) };
    if (asked === "all") return { kind: "markdown", text: helpText(catalog) };
    if (asked === "skills") {
      const lines = catalog.skills.map((one) => `- ${line(one.slug, one.description, "[instruction]")}`);
      return { kind: "markdown", text: lines.length === 0 ? "There are no skills." : lines.join("\n") };
    }
    const command = offered(catalog).find(({ name, aliases }) => name === asked || aliases?.includes(asked) === true);
    return command === undefined
      ? warn(`There is no command /${asked}. /help lists them.`)
      : { kind: "markdown", text: commandHelp(command) };
  },
});

export const commandsCommand = defineCommand({
  name: "commands",
  description: "List all commands and skills, page by page",
  category: "Info",
  argsHint: "[page]",
  gatewayOnly: true,
  whileRunning: "now",
  takes: [],
  async run({ catalog, args }) {
    const lines = commandLines(catalog);
    const pages = Math.max(1, Math.ceil(lines.length / perPage));
    const page = args === "" ? 1 : Number(args);
    if (!Number.isInteger(page) || page < 1 || page > pages) return warn(`Choose a page from 1 to ${pages}.`);
    const shown = lines.slice((page - 1) * perPage, page * perPage);
    const text = [...shown, "", `Page ${page} of ${pages}`].join("\n");
    return { kind: "text", text };
  },
});

/** What most people need, on one screen: names by category. */
function shortHelp(catalog: CommandCatalog): string {
  const groups = commandCategories.map((category) => {
    const names = offered(catalog).filter((command) => command.category === category);
    return `**${category}**: ${names.map(({ name }) => `\`/${name}\``).join(" ")}`;
  });
  const more = `\`/help model\` explains one · \`/help all\` describes all · \`/help skills\`: ${plural(catalog.skills.length, "skill")}`;
  const typed = "`!ls` runs a command · `@file:notes.txt` attaches a file · `?` shows the keys";
  return [...groups, more, ...(catalog.surface === "cli" ? [typed] : [])].join("\n\n");
}

const examples: Readonly<Record<string, string>> = {
  model: "/model openrouter:anthropic/claude-sonnet-4.6",
  resume: "/resume my tour",
  title: "/title my tour",
  copy: "/copy 2",
  queue: "/queue then run the tests",
  steer: "/steer use the other file",
  background: "/background look for dead links",
  export: "/export talk.html",
  skin: "/skin mono",
  settings: "/settings display.show_cost true",
};

function commandHelp(command: SlashCommand): string {
  const example = examples[command.name];
  return [
    commandLine(command),
    ...(example === undefined ? [] : [`For example: \`${example}\``]),
    ...(command.whileRunning === "busy" ? ["Not available while a turn is running."] : []),
  ].join("\n\n");
}

/** Built-in commands by category, then the person's own, plugins' and skills. */
function helpText(catalog: CommandCatalog): string {
  const groups = commandCategories.map((category) => {
    const lines = offered(catalog)
      .filter((command) => command.category === category)
      .map(commandLine);
    return { category: category as string, lines };
  });
  const others = [
    { category: "Your own", lines: Object.entries(catalog.quick).map(([name, one]) => line(name, quickText(one))) },
    { category: "Plugins", lines: catalog.plugins.map((one) => line(one.name, one.description, one.argsHint)) },
    { category: "Skills", lines: catalog.skills.map((one) => line(one.slug, one.description, "[instruction]")) },
  ];
  return [...groups, ...others]
    .filter(({ lines }) => lines.length > 0)
    .map(({ category, lines }) => `### ${category}\n${lines.map((one) => `- ${one}`).join("\n")}`)
    .join("\n\n");
}

function commandLines(catalog: CommandCatalog): readonly string[] {
  return [
    ...offered(catalog).map(commandLine),
    ...catalog.plugins.map((one) => line(one.name, one.description, one.argsHint)),
    ...catalog.skills.map((one) => line(one.slug, one.description)),
  ];
}

function offered(catalog: CommandCatalog): readonly SlashCommand[] {
  return catalog.builtins.filter((command) => isAvailable(command, catalog));
}

function commandLine(command: SlashCommand): string {
  const also = (command.aliases ?? []).map((alias) => `/${alias}`).join(", ");
  return `${line(command.name, command.description, command.argsHint)}${also === "" ? "" : ` (${also})`}`;
}

function line(name: string, description: string, argsHint?: string): string {
  return `\`/${name}${argsHint === undefined ? "" : ` ${argsHint}`}\` — ${description}`;
}

function quickText(setting: CommandCatalog["quick"][string]): string {
  if (typeof setting === "string") return setting;
  return setting.description ?? setting.command ?? setting.target ?? setting.text ?? "";
}
