import type { ListedRule, PermissionEffect } from "#tools";
import type { CommandView } from "../../api.ts";
import { type BusyMode, busyModes } from "../../settings.ts";
import { defineCommand } from "../command.ts";
import { act, say, warn } from "../views.ts";
import { saved } from "./preferences.ts";

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"];

export const yoloCommand = defineCommand({
  name: "yolo",
  description: "Turn approvals off, or back on, for this session",
  category: "Configuration",
  whileRunning: "now",
  takes: ["approvals", "settings"],
  async run({ surface }, { approvals, settings }) {
    if (surface === "gateway" && !settings.allowsYoloInChats)
      return warn("Approvals cannot be turned off from this chat.");
    return approvals.setYolo(!approvals.isYolo)
      ? warn("Approvals are off for this session: flagged commands run without asking.")
      : say("Approvals are on.");
  },
});

const effects: readonly PermissionEffect[] = ["allow", "ask", "deny"];
const permissionsUsage = "Usage: /permissions, /permissions allow|ask|deny <rule> or /permissions remove <rule>";

export const permissionsCommand = defineCommand({
  name: "permissions",
  description: "Show the permission rules and what each decided, or change this session's",
  category: "Configuration",
  argsHint: "[allow|ask|deny|remove] [rule]",
  subcommands: [...effects, "remove"],
  whileRunning: "now",
  takes: ["approvals", "settings"],
  async run({ words, args, surface }, { approvals, settings }) {
    const [verb = ""] = words;
    const rule = args.slice(verb.length).trim();
    if (verb === "") return ruleTable(await approvals.rules());
    if (rule === "") return warn(permissionsUsage);
    if (verb === "remove")
      return (await approvals.removeRule(rule)) ? say(`Removed: ${rule}`) : warn(`This session has no rule ${rule}.`);
    const effect = effects.find((one) => one === verb);
    if (effect === undefined) return warn(permissionsUsage);
    if (effect === "allow" && surface === "gateway" && !settings.allowsYoloInChats)
      return warn("Rules that allow calls cannot be added from this chat.");
    const problem = await approvals.addRule(effect, rule);
    if (problem !== undefined) return warn(`${rule} is no rule: ${problem}.`);
    return say(`In this session from now on: ${effect} ${rule}`);
  },
});

function ruleTable(rules: readonly ListedRule[]): CommandView {
  if (rules.length === 0)
    return say(
      "No rules are set: Hermes asks before anything dangerous. /permissions allow|ask|deny <rule> adds one for this session, for example /permissions allow command(npm test *). Permanent rules go under permissions in config.yaml.",
    );
  const rows = rules.map(({ effect, text, origin, times, last }) => [effect, text, origin, String(times), last]);
  return { kind: "table", title: "Permissions", columns: ["Effect", "Rule", "From", "Decided", "Last"], rows };
}

export const reasoningCommand = defineCommand({
  name: "reasoning",
  description: "Choose how long the model thinks, or show and hide its thinking",
  category: "Configuration",
  argsHint: "[level|show|hide]",
  subcommands: [...efforts, "show", "hide"],
  whileRunning: "next",
  whileRunningFor: ([first]) =>
    first === undefined || ["show", "hide"].includes(first.toLowerCase()) ? "now" : "next",
  takes: ["behaviour", "preferences"],
  async run({ args }, { behaviour, preferences }) {
    const choice = args.toLowerCase();
    if (choice === "show" || choice === "hide") {
      await saved(preferences, { key: "display.show_reasoning", value: choice === "show" }, "");
      return act({ do: "show-reasoning", isShown: choice === "show" });
    }
    if (choice === "")
      return say(
        `Reasoning: ${behaviour.reasoning || "provider default"}. Change: /reasoning ${efforts.join("|")}, or show|hide`,
      );
    if (!efforts.includes(choice)) return warn(`There is no level ${args}. Levels: ${efforts.join(", ")}`);
    const problem = behaviour.setReasoning(choice);
    if (problem !== undefined) return warn(problem);
    const done = `Reasoning: ${choice}, starting with the next turn.`;
    return await saved(preferences, { key: "agent.reasoning_effort", value: choice }, done);
  },
});

export const fastCommand = defineCommand({
  name: "fast",
  description: "Choose the provider's faster, more expensive service, or the normal one",
  category: "Configuration",
  argsHint: "[normal|fast|status]",
  subcommands: ["normal", "fast", "status"],
  whileRunning: "next",
  whileRunningFor: ([first]) => (first === undefined || first === "status" ? "now" : "next"),
  takes: ["behaviour", "preferences", "models"],
  async run({ args, session: { info } }, { behaviour, preferences, models }) {
    const choice = args.toLowerCase();
    const { hasFastService } = models.facts;
    const alone = `${info.model} has only one service, so /fast changes nothing.`;
    if (choice === "" || choice === "status")
      return say(
        hasFastService
          ? `Service: ${behaviour.isFast ? "fast" : "normal"}. Change: /fast fast (faster, costs more) or /fast normal`
          : alone,
      );
    if (choice !== "fast" && choice !== "normal") return warn("Usage: /fast normal, /fast fast or /fast status");
    if (choice === "fast" && !hasFastService) return warn(alone);
    behaviour.setFast(choice === "fast");
    const done = `Service: ${choice}, starting with the next turn.`;
    return await saved(preferences, { key: "agent.service_tier", value: choice }, done);
  },
});

export const busyCommand = defineCommand({
  name: "busy",
  description: "Choose what a message does while a turn runs",
  category: "Configuration",
  argsHint: "[queue|interrupt|steer|status]",
  subcommands: ["queue", "interrupt", "steer", "status"],
  whileRunning: "now",
  takes: ["turns", "preferences"],
  async run({ args }, { turns, preferences }) {
    const choice = args.toLowerCase();
    if (choice === "" || choice === "status") return say(`While a turn runs, a message ${meanings[turns.busyMode]}.`);
    const mode = busyModes.find((one) => one === choice);
    if (mode === undefined) return warn(`Usage: /busy ${busyModes.join(", /busy ")} or /busy status`);
    turns.setBusyMode(mode);
    const done = `From now on a message ${meanings[mode]}.`;
    return await saved(preferences, { key: "display.busy_input_mode", value: mode }, done);
  },
});

const meanings: Readonly<Record<BusyMode, string>> = {
  interrupt: "stops the turn and is answered next",
  queue: "waits for the end of the turn",
  steer: "is handed to the model with its next tool result",
};

export const personalityCommand = defineCommand({
  name: "personality",
  description: "Choose how Hermes speaks",
  category: "Configuration",
  argsHint: "[name]",
  whileRunning: "next",
  whileRunningFor: (words) => (words.length === 0 ? "now" : "next"),
  takes: ["behaviour", "settings", "preferences"],
  complete: (_call, { settings }) => Promise.resolve([...settings.personalities, "none"]),
  async run({ args }, { behaviour, settings, preferences }) {
    const names = settings.personalities;
    if (args === "") {
      if (names.length === 0) return say("No personality is defined.");
      const now = behaviour.personality || "none";
      const items = [...names, "none"].map((name) => ({
        value: name,
        label: name,
        detail: "",
        isCurrent: name === now,
      }));
      return { kind: "picker", title: "Personality", items, command: "/personality" };
    }
    const problem = behaviour.setPersonality(args);
    if (problem !== undefined) return warn(problem);
    const done = `Personality: ${args}, starting with the next turn.`;
    return await saved(preferences, { key: "display.personality", value: args }, done);
  },
});
