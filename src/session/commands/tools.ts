import { plural } from "#foundation/text/figures";
import type { CommandView, ToolsetInfo } from "../api.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { say, warn } from "./views.ts";

export const toolsCommand: SlashCommand = {
  name: "tools",
  description: "List the tools, or switch some on or off (which begins a new session)",
  category: "Tools & Skills",
  argsHint: "[list|enable|disable] [name…]",
  subcommands: ["list", "enable", "disable"],
  cliOnly: true,
  whileRunning: "busy",
  whileRunningFor: ([first = "list"]) => (["enable", "disable"].includes(first.toLowerCase()) ? "busy" : "now"),
  complete: ({ session, words }) =>
    Promise.resolve(
      words.length === 0 ? [] : session.handle.tools.describe().flatMap((set) => [set.name, ...set.tools]),
    ),
  async run(context) {
    const [first = "list", ...names] = context.words;
    switch (first.toLowerCase()) {
      case "list":
        return toolTable(context.session.handle.tools.describe());
      case "enable":
      case "disable":
        return await change(context, names, first.toLowerCase() === "enable");
      default:
        return warn("/tools list, /tools enable <name…> or /tools disable <name…>");
    }
  },
};

export const toolsetsCommand: SlashCommand = {
  name: "toolsets",
  description: "List the groups of tools in use",
  category: "Tools & Skills",
  cliOnly: true,
  whileRunning: "now",
  async run({ session }) {
    const rows = session.handle.tools
      .describe()
      .map((set) => [set.name, plural(set.tools.length, "tool"), set.tools.join(", ")]);
    return { kind: "table", title: "Toolsets", columns: ["Toolset", "Size", "Tools"], rows };
  },
};

export const reloadMcpCommand: SlashCommand = {
  name: "reload-mcp",
  aliases: ["reload_mcp"],
  description: "Connect to the MCP servers again",
  category: "Tools & Skills",
  whileRunning: "busy",
  async run({ session, signal }) {
    return say(await session.handle.reloadMcp(signal));
  },
};

export const pluginsCommand: SlashCommand = {
  name: "plugins",
  description: "List the plugins",
  category: "Tools & Skills",
  cliOnly: true,
  whileRunning: "now",
  async run({ deps }) {
    const plugins = deps.plugins?.() ?? [];
    if (plugins.length === 0) return say("No plugin is installed.");
    const rows = plugins.map((one) => [one.name, one.version, one.state]);
    return { kind: "table", title: "Plugins", columns: ["Plugin", "Version", "State"], rows };
  },
};

function toolTable(toolsets: readonly ToolsetInfo[]): CommandView {
  const rows = toolsets.flatMap((set) => [
    ...set.tools.map((tool) => [tool, set.name, "on"]),
    ...set.unavailable.map(({ name, reason }) => [name, set.name, `not here: ${reason}`]),
  ]);
  return { kind: "table", title: "Tools", columns: ["Tool", "Toolset", "State"], rows };
}

async function change(context: CommandContext, names: readonly string[], isEnabled: boolean): Promise<CommandView> {
  const { session } = context;
  if (names.length === 0) return warn(`Which? /tools ${isEnabled ? "enable" : "disable"} <name…>`);
  const message = await session.handle.tools.setEnabled(names, isEnabled);
  await session.startNew("tools_changed");
  return say(`${message} A new session has begun: ${session.info.id}`);
}
