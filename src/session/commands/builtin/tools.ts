import { plural } from "#foundation/text/figures";
import type { CommandView, ToolsetInfo } from "../../api.ts";
import { defineCommand } from "../command.ts";
import { say, warn } from "../views.ts";

export const toolsCommand = defineCommand({
  name: "tools",
  description: "List the tools, or switch some on or off (which begins a new session)",
  category: "Tools & Skills",
  argsHint: "[list|enable|disable] [name…]",
  subcommands: ["list", "enable", "disable"],
  cliOnly: true,
  whileRunning: "busy",
  whileRunningFor: ([first = "list"]) => (["enable", "disable"].includes(first.toLowerCase()) ? "busy" : "now"),
  takes: ["tools", "conversation"],
  complete: ({ words }, { tools }) =>
    Promise.resolve(words.length === 0 ? [] : tools.describe().flatMap((set) => [set.name, ...set.tools])),
  async run({ words, session }, { tools, conversation }) {
    const [first = "list", ...names] = words;
    const verb = first.toLowerCase();
    if (verb === "list") return toolTable(tools.describe());
    if (verb !== "enable" && verb !== "disable")
      return warn("Usage: /tools list, /tools enable <name…> or /tools disable <name…>");
    if (names.length === 0) return warn(`Which ones? Usage: /tools ${verb} <name…>`);
    const message = await tools.setEnabled(names, verb === "enable");
    await conversation.startNew("tools_changed");
    return say(`${message} A new session has begun: ${session.info.id}`);
  },
});

function toolTable(toolsets: readonly ToolsetInfo[]): CommandView {
  const rows = toolsets.flatMap((set) => [
    ...set.tools.map((tool) => [tool, set.name, "on"]),
    ...set.unavailable.map(({ name, reason }) => [name, set.name, `unavailable: ${reason}`]),
  ]);
  return { kind: "table", title: "Tools", columns: ["Tool", "Toolset", "State"], rows };
}

export const toolsetsCommand = defineCommand({
  name: "toolsets",
  description: "List the groups of tools in use",
  category: "Tools & Skills",
  cliOnly: true,
  whileRunning: "now",
  takes: ["tools"],
  async run(_call, { tools }) {
    const rows = tools.describe().map((set) => [set.name, plural(set.tools.length, "tool"), set.tools.join(", ")]);
    return { kind: "table", title: "Toolsets", columns: ["Toolset", "Size", "Tools"], rows };
  },
});

export const reloadMcpCommand = defineCommand({
  name: "reload-mcp",
  aliases: ["reload_mcp"],
  description: "Connect to the MCP servers again",
  category: "Tools & Skills",
  whileRunning: "busy",
  takes: ["tools"],
  run: async ({ signal }, { tools }) => say(await tools.reloadMcp(signal)),
});

export const pluginsCommand = defineCommand({
  name: "plugins",
  description: "List the plugins",
  category: "Tools & Skills",
  cliOnly: true,
  whileRunning: "now",
  takes: ["machine"],
  async run(_call, { machine }) {
    const plugins = machine.plugins();
    if (plugins.length === 0) return say("No plugin is installed.");
    const rows = plugins.map((one) => [one.name, one.version, one.state]);
    return { kind: "table", title: "Plugins", columns: ["Plugin", "Version", "State"], rows };
  },
});

export const memoryCommand = defineCommand({
  name: "memory",
  description: "Show memory writes that wait for you; keep or refuse them",
  category: "Tools & Skills",
  argsHint: "[confirm|reject id]",
  subcommands: ["confirm", "reject"],
  whileRunning: "now",
  takes: ["memory"],
  complete: async ({ words }, { memory }) => (words.length === 0 ? [] : (await memory.pending()).map((one) => one.id)),
  async run({ words }, { memory }) {
    const [first, id] = words;
    const verb = first?.toLowerCase();
    if (verb === "confirm" || verb === "reject") {
      if (id === undefined) return warn(`Which one? Usage: /memory ${verb} <id>`);
      return say(await memory[verb](id));
    }
    if (verb !== undefined && verb !== "pending")
      return warn("Usage: /memory, /memory confirm <id> or /memory reject <id>");
    const pending = await memory.pending();
    if (pending.length === 0) return say("Nothing is waiting for your confirmation.");
    const rows = pending.map((one) => [one.id, one.source, one.text]);
    return { kind: "table", title: "Waiting to be remembered", columns: ["Id", "From", "Text"], rows };
  },
});
