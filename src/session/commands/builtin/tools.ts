import { plural } from "#foundation/text/figures";
import type { CommandView, ToolsetInfo } from "../../api.ts";
import type { RememberedNotes } from "../../services/memory.ts";
import { defineCommand } from "../command.ts";
import { say, warn } from "../views.ts";

export const toolsCommand = defineCommand({
  name: "tools",
  description: "List the tools, or turn some on or off (which starts a new session)",
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
    return say(`${message} A new session has started: ${session.info.id}`);
  },
});

function toolTable(toolsets: readonly ToolsetInfo[]): CommandView {
  const rows = toolsets.flatMap((set) => [
    ...set.tools.map((tool) => [tool, set.name, "on"]),
    ...set.unavailable.map(({ name, reason }) => [name, "", `unavailable: ${reason}`]),
  ]);
  return { kind: "table", title: "Tools", columns: ["Tool", "Toolset", "State"], rows };
}

export const toolsetsCommand = defineCommand({
  name: "toolsets",
  description: "List the toolsets in use",
  category: "Tools & Skills",
  cliOnly: true,
  whileRunning: "now",
  takes: ["tools"],
  async run(_call, { tools }) {
    const sets = tools.describe().filter((set) => set.tools.length > 0);
    const rows = sets.map((set) => [set.name, plural(set.tools.length, "tool"), set.tools.join(", ")]);
    return { kind: "table", title: "Toolsets", columns: ["Toolset", "Size", "Tools"], rows };
  },
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
  description: "Show what is remembered and what awaits your decision",
  category: "Tools & Skills",
  argsHint: "[pending | confirm id | reject id]",
  subcommands: ["pending", "confirm", "reject"],
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
      return warn("Usage: /memory, /memory pending, /memory confirm <id> or /memory reject <id>");
    const pending = await memory.pending();
    if (verb === undefined) return rememberedView(await memory.remembered(), pending.length);
    if (pending.length === 0) return say("Nothing is waiting for your confirmation.");
    return pendingTable(pending);
  },
});

function pendingTable(
  pending: readonly { readonly id: string; readonly text: string; readonly source: string }[],
): CommandView {
  const rows = pending.map((one) => [one.id, one.source, one.text]);
  return { kind: "table", title: "Waiting to be remembered", columns: ["Id", "From", "Text"], rows };
}

const aboutWords: Readonly<Record<RememberedNotes["about"], string>> = { user: "About you", memory: "Notes" };

function rememberedView(all: readonly RememberedNotes[], waiting: number): CommandView {
  if (all.length === 0) return say("Memory is off in this session.");
  const sections = all.map(({ about, file, entries, used, limit }) => {
    const head = `${aboutWords[about]} (${file}, ${Math.round((used / Math.max(1, limit)) * 100)}% full)`;
    return [head, ...(entries.length === 0 ? ["  nothing yet"] : entries.map(listed))].join("\n");
  });
  const more = waiting === 0 ? [] : [`Waiting for your confirmation: ${waiting}. See them with /memory pending`];
  return say([...sections, ...more].join("\n\n"));
}

function listed(entry: string): string {
  return `  • ${entry.replaceAll("\n", "\n    ")}`;
}
