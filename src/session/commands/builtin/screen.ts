import { stat } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";
import { pathOf } from "../../turns/image-input.ts";
import { defineCommand } from "../command.ts";
import { act, fault, warn } from "../views.ts";
import { saved } from "./preferences.ts";

const progressModes = ["off", "new", "all", "verbose"] as const;
const sections = ["thinking", "tools", "subagents", "activity"];
const detailModes = ["hidden", "collapsed", "expanded"];

export const copyCommand = defineCommand({
  name: "copy",
  description: "Copy the last answer, or an earlier one",
  category: "Info",
  argsHint: "[n]",
  cliOnly: true,
  whileRunning: "now",
  takes: [],
  async run({ session, args }) {
    const number = args === "" ? 1 : Number(args);
    if (!Number.isInteger(number) || number < 1) return warn("Usage: /copy, or /copy 2 for the one before");
    const answers = session.history.flatMap((message) =>
      message.role === "assistant" && message.content.trim() !== "" ? message.content : [],
    );
    const text = answers.at(-number);
    return text === undefined ? warn("There is no such answer.") : act({ do: "copy", text });
  },
});

export const pasteCommand = defineCommand({
  name: "paste",
  description: "Attach the image on the clipboard",
  category: "Info",
  cliOnly: true,
  whileRunning: "now",
  takes: [],
  run: () => Promise.resolve(act({ do: "paste-image" })),
});

export const imageCommand = defineCommand({
  name: "image",
  description: "Attach an image file",
  category: "Info",
  argsHint: "<path>",
  cliOnly: true,
  whileRunning: "now",
  takes: [],
  async run({ session, args }) {
    if (args === "") return warn("Which file? Usage: /image <path>");
    const path = pathOf(args, session.info.cwd);
    try {
      if (!(await stat(path)).isFile()) return fault(`${path} is not a file.`);
    } catch (error) {
      return fault(`${path} cannot be read (${systemErrorCode(error) ?? "unknown reason"}).`);
    }
    return act({ do: "attach-image", path });
  },
});

export const quitCommand = defineCommand({
  name: "quit",
  aliases: ["exit"],
  description: "Quit Hermes",
  category: "Exit",
  cliOnly: true,
  whileRunning: "now",
  takes: [],
  run: () => Promise.resolve(act({ do: "quit" })),
});

export const statusbarCommand = defineCommand({
  name: "statusbar",
  aliases: ["sb"],
  description: "Show or hide the status line",
  category: "Configuration",
  cliOnly: true,
  whileRunning: "now",
  takes: [],
  run: () => Promise.resolve(act({ do: "toggle-statusbar" })),
});

export const verboseCommand = defineCommand({
  name: "verbose",
  description: "Change how much is shown of tool calls: off, new, all, verbose",
  category: "Configuration",
  cliOnly: true,
  gatewayConfigGate: "display.tool_progress_command",
  whileRunning: "now",
  takes: ["settings", "preferences"],
  async run({ surface }, { settings, preferences }) {
    if (surface === "cli") return act({ do: "cycle-verbose" });
    const now = progressModes.indexOf(settings.toolProgress);
    const next = progressModes[(now + 1) % progressModes.length] ?? "all";
    return await saved(preferences, { key: "display.tool_progress", value: next }, `Tool lines: ${next}.`);
  },
});

export const skinCommand = defineCommand({
  name: "skin",
  description: "Choose colours and symbols",
  category: "Configuration",
  argsHint: "[name]",
  cliOnly: true,
  whileRunning: "now",
  takes: ["settings", "preferences"],
  complete: (_call, { settings }) => Promise.resolve(settings.skins),
  async run({ args }, { settings: { skins }, preferences }) {
    if (args === "") {
      // The surface knows which one it draws with, and marks it.
      const items = skins.map((name) => ({ value: name, label: name, detail: "", isCurrent: false }));
      return { kind: "picker", title: "Skin", items, command: "/skin" };
    }
    if (!skins.includes(args)) return warn(`There is no skin ${args}. Skins: ${skins.join(", ")}`);
    const kept = await saved(preferences, { key: "display.skin", value: args }, `Skin: ${args}.`);
    return kept.kind === "text" && kept.level === "warn" ? kept : act({ do: "set-skin", name: args });
  },
});

export const detailsCommand = defineCommand({
  name: "details",
  description: "Choose how thinking, tools, child agents and the log are shown",
  category: "Configuration",
  argsHint: "[section] [mode]",
  subcommands: sections,
  cliOnly: true,
  whileRunning: "now",
  takes: [],
  complete: ({ words }) => Promise.resolve(words.length > 0 ? detailModes : [...sections, ...detailModes]),
  async run({ words }) {
    const [first = "", second = ""] = words.map((word) => word.toLowerCase());
    if (first === "") return act({ do: "show-details" });
    if (detailModes.includes(first)) return act({ do: "set-details", section: "all", mode: first });
    if (sections.includes(first) && detailModes.includes(second))
      return act({ do: "set-details", section: first, mode: second });
    return warn(`Usage: /details [${sections.join("|")}] ${detailModes.join("|")}`);
  },
});
