import type { SlashCommand } from "./command.ts";
import { saved } from "./preferences.ts";
import { say, warn } from "./views.ts";

export const personalityCommand: SlashCommand = {
  name: "personality",
  description: "Choose how Hermes speaks",
  category: "Configuration",
  argsHint: "[name]",
  whileRunning: "next",
  whileRunningFor: (words) => (words.length === 0 ? "now" : "next"),
  complete: ({ deps }) => Promise.resolve([...deps.settings.personalities, "none"]),
  async run(context) {
    const { args, session, deps } = context;
    const names = deps.settings.personalities;
    if (args === "") {
      if (names.length === 0) return say("No personality is defined.");
      const items = [...names, "none"].map((name) => ({ value: name, label: name, detail: "", isCurrent: false }));
      return { kind: "picker", title: "Personality", items, command: "/personality" };
    }
    const problem = session.handle.setPersonality(args);
    if (problem !== undefined) return warn(problem);
    return await saved(
      context,
      { key: "display.personality", value: args },
      `Personality: ${args}, from the next turn on.`,
    );
  },
};
