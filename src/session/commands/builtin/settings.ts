import { withArticle } from "#config";
import { describe, UserError } from "#foundation/errors";
import { nearest } from "#foundation/text/similarity";
import type { CommandView, PickerItem } from "../../api.ts";
import type { SavedSetting } from "../../services/preferences.ts";
import { defineCommand } from "../command.ts";
import { act, fault, say, warn } from "../views.ts";

/** What has a command of its own that does more than write a value. */
const commandOf: Readonly<Record<string, string>> = {
  "display.skin": "/skin",
  "model.default": "/model",
  "model.provider": "/connect",
  "model.base_url": "/connect",
};

/** What people change most stands in front. */
const everyday: readonly string[] = [
  ...["model.default", "model.provider", "agent.reasoning_effort", "approvals.mode", "terminal.sandbox"],
  ...["terminal.network", "display.skin", "display.busy_input_mode", "display.tool_progress"],
  ...["display.show_reasoning", "display.show_cost", "display.bell_on_complete", "budget.session_usd"],
  ...["compression.enabled", "memory.memory_enabled", "agent.max_turns"],
];

/** As they are listed; what Hermes writes for itself is no choice of anybody. */
function listed(all: readonly SavedSetting[]): readonly SavedSetting[] {
  const first = everyday.flatMap((key) => all.find((one) => one.key === key) ?? []);
  return [...first, ...all.filter(({ key }) => !everyday.includes(key) && !key.startsWith("_"))];
}

export const settingsCommand = defineCommand({
  name: "settings",
  description: "Browse the settings and change one",
  category: "Configuration",
  argsHint: "[setting] [value]",
  cliOnly: true,
  whileRunning: "now",
  takes: ["preferences"],
  async complete({ words }, { preferences }) {
    const all = await preferences.settings();
    const [key] = words;
    const chosen = all.find((one) => one.key === key);
    return chosen === undefined ? all.map((one) => one.key) : wordsFor(chosen);
  },
  async run({ args }, { preferences }) {
    const all = await preferences.settings();
    if (args === "")
      return { kind: "picker", title: "Settings", items: listed(all).map(settingItem), command: "/settings" };
    const [key = "", value] = args.split(/\s+(.*)/s);
    const chosen = all.find((one) => one.key === key);
    if (chosen === undefined) return warn(unknownText(key, all));
    const other = commandOf[key];
    if (other !== undefined)
      return act({ do: "edit-line", text: other, about: `${other} changes ${key}. It is ${shown(chosen.value)} now.` });
    if (value === undefined || value === "") return valueView(chosen);
    try {
      await preferences.save(key, value);
    } catch (error) {
      // The hint names a command of the shell.
      return fault(error instanceof UserError ? error.message : describe(error));
    }
    const saved = (await preferences.settings()).find((one) => one.key === key) ?? chosen;
    const when = chosen.countsAtOnce ? "It applies at once." : "It applies from the next start of Hermes.";
    return say(`${key} = ${shown(saved.value)} (it was ${shown(chosen.value)}). Saved. ${when}`);
  },
});

function settingItem({ key, value, defaultValue, description }: SavedSetting): PickerItem {
  const detail = value === defaultValue ? shown(value) : `${shown(value)} (default: ${shown(defaultValue)})`;
  return { value: key, label: key, detail, isCurrent: false, help: description };
}

/** Values to choose from, or the line with the value of now for the person to change. */
function valueView(setting: SavedSetting): CommandView {
  const { key, value, defaultValue, description, type } = setting;
  const words = wordsFor(setting);
  if (words.length > 0) {
    const items = words.map((word) => ({
      value: word,
      label: word,
      detail: word === defaultValue ? "default" : "",
      isCurrent: word === value,
      help: description,
    }));
    return { kind: "picker", title: key, items, command: `/settings ${key}` };
  }
  const about = `${key}: ${description} Takes ${withArticle(type)}; the default is ${shown(defaultValue)}.`;
  return act({ do: "edit-line", text: `/settings ${key} ${value}`, about });
}

function wordsFor({ type, choices }: SavedSetting): readonly string[] {
  return type === "true or false" ? ["true", "false"] : choices.filter((word) => word !== "");
}

function unknownText(key: string, all: readonly SavedSetting[]): string {
  const meant = nearest(key, new Set(all.map((one) => one.key)));
  return `There is no setting ${key} here.${meant === undefined ? "" : ` Did you mean ${meant}?`} /settings lists them.`;
}

const shown = (value: string): string => (value === "" ? "(not set)" : value);
