import type { SlashCommand } from "./command.ts";
import { saved } from "./preferences.ts";
import { act, warn } from "./views.ts";

const progressModes = ["off", "new", "all", "verbose"] as const;
const sections = ["thinking", "tools", "subagents", "activity"];
const detailModes = ["hidden", "collapsed", "expanded"];

export const statusbarCommand: SlashCommand = {
  name: "statusbar",
  aliases: ["sb"],
  description: "Show or hide the status line",
  category: "Configuration",
  cliOnly: true,
  whileRunning: "now",
  run: () => Promise.resolve(act({ do: "toggle-statusbar" })),
};

export const verboseCommand: SlashCommand = {
  name: "verbose",
  description: "Change how much is shown of running tools: off, new, all, verbose",
  category: "Configuration",
  cliOnly: true,
  gatewayConfigGate: "display.tool_progress_command",
  whileRunning: "now",
  async run(context) {
    if (context.surface === "cli") return act({ do: "cycle-verbose" });
    const now = progressModes.indexOf(context.deps.settings.toolProgress);
    const next = progressModes[(now + 1) % progressModes.length] ?? "all";
    return await saved(context, { key: "display.tool_progress", value: next }, `Tool lines: ${next}.`);
  },
};

export const skinCommand: SlashCommand = {
  name: "skin",
  description: "Choose colours and symbols",
  category: "Configuration",
  argsHint: "[name]",
  cliOnly: true,
  whileRunning: "now",
  complete: ({ deps }) => Promise.resolve(deps.settings.skins),
  async run({ args, deps }) {
    const { skins } = deps.settings;
    if (args === "") {
      const items = skins.map((name) => ({ value: name, label: name, detail: "", isCurrent: false }));
      return { kind: "picker", title: "Skin", items, command: "/skin" };
    }
    if (!skins.includes(args)) return warn(`There is no skin ${args}. Skins: ${skins.join(", ")}`);
    return act({ do: "set-skin", name: args });
  },
};

export const detailsCommand: SlashCommand = {
  name: "details",
  description: "Choose how thinking, tools, child agents and the log are shown",
  category: "Configuration",
  argsHint: "[section] [mode]",
  subcommands: sections,
  cliOnly: true,
  whileRunning: "now",
  complete: ({ words }) => Promise.resolve(words.length > 0 ? detailModes : [...sections, ...detailModes]),
  async run({ words }) {
    const [first = "", second = ""] = words.map((word) => word.toLowerCase());
    if (detailModes.includes(first)) return act({ do: "set-details", section: "all", mode: first });
    if (sections.includes(first) && detailModes.includes(second))
      return act({ do: "set-details", section: first, mode: second });
    return warn(`/details [${sections.join("|")}] ${detailModes.join("|")}`);
  },
};
