import { type BusyMode, busyModes } from "../settings.ts";
import type { SlashCommand } from "./command.ts";
import { saved } from "./preferences.ts";
import { act, say, warn } from "./views.ts";

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"];

export const yoloCommand: SlashCommand = {
  name: "yolo",
  description: "Switch approvals off or on again, for this session",
  category: "Configuration",
  whileRunning: "now",
  async run({ session, surface, deps }) {
    if (surface === "gateway" && !deps.settings.allowsYoloInChats)
      return warn("Approvals cannot be switched off from a chat here.");
    const isOn = session.handle.setYolo(!session.info.isYolo);
    return isOn
      ? warn("Approvals are off for this session: flagged commands run without a question.")
      : say("Approvals are on.");
  },
};

export const reasoningCommand: SlashCommand = {
  name: "reasoning",
  description: "Choose how long the model thinks, or show and hide its thinking",
  category: "Configuration",
  argsHint: "[level|show|hide]",
  subcommands: [...efforts, "show", "hide"],
  whileRunning: "next",
  whileRunningFor: ([first]) =>
    first === undefined || ["show", "hide"].includes(first.toLowerCase()) ? "now" : "next",
  async run(context) {
    const { args, session } = context;
    const wish = args.toLowerCase();
    if (wish === "show" || wish === "hide") {
      await saved(context, { key: "display.show_reasoning", value: wish === "show" }, "");
      return act({ do: "show-reasoning", isShown: wish === "show" });
    }
    if (wish === "") return say(`/reasoning ${efforts.join("|")}, or /reasoning show|hide`);
    if (!efforts.includes(wish)) return warn(`There is no level ${args}. Levels: ${efforts.join(", ")}`);
    const problem = session.handle.setReasoning(wish);
    if (problem !== undefined) return warn(problem);
    return await saved(
      context,
      { key: "agent.reasoning_effort", value: wish },
      `Reasoning: ${wish}, from the next turn on.`,
    );
  },
};

export const fastCommand: SlashCommand = {
  name: "fast",
  description: "Choose the faster, dearer service of the provider, or the normal one",
  category: "Configuration",
  argsHint: "[normal|fast|status]",
  subcommands: ["normal", "fast", "status"],
  whileRunning: "next",
  whileRunningFor: ([first]) => (first === undefined || first === "status" ? "now" : "next"),
  isHidden: (session) => session.handle.hasFastMode?.() === false,
  async run(context) {
    const { args, session } = context;
    const wish = args.toLowerCase();
    if (session.handle.hasFastMode?.() === false) return warn(`${session.info.model} has one speed only.`);
    if (wish === "" || wish === "status")
      return say("/fast fast asks for the faster service, /fast normal for the usual one.");
    if (wish !== "fast" && wish !== "normal") return warn("/fast normal, /fast fast or /fast status");
    const problem = session.handle.setFast(wish === "fast");
    if (problem !== undefined) return warn(problem);
    return await saved(context, { key: "agent.service_tier", value: wish }, `Service: ${wish}, from the next turn on.`);
  },
};

export const busyCommand: SlashCommand = {
  name: "busy",
  description: "Choose what a message does while a turn runs",
  category: "Configuration",
  argsHint: "[queue|interrupt|steer|status]",
  subcommands: ["queue", "interrupt", "steer", "status"],
  whileRunning: "now",
  async run(context) {
    const { args, session } = context;
    const wish = args.toLowerCase();
    if (wish === "" || wish === "status") return say(`While a turn runs, a message: ${meanings[session.busyMode]}.`);
    const mode = busyModes.find((one) => one === wish);
    if (mode === undefined) return warn(`/busy ${busyModes.join(", /busy ")} or /busy status`);
    session.setBusyMode(mode);
    return await saved(
      context,
      { key: "display.busy_input_mode", value: mode },
      `From now on a message ${meanings[mode]}.`,
    );
  },
};

const meanings: Readonly<Record<BusyMode, string>> = {
  interrupt: "stops the turn and is answered next",
  queue: "waits for the end of the turn",
  steer: "is handed to the model with its next tool result",
};
