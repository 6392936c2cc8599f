import type { SlashCommand } from "./command.ts";
import { act, say } from "./views.ts";

export const newCommand: SlashCommand = {
  name: "new",
  aliases: ["reset"],
  description: "End this conversation and begin an empty one",
  category: "Session",
  whileRunning: "now",
  async run({ session }) {
    const before = session.info.id;
    await session.startNew("session_reset");
    return say(`New session ${session.info.id}. The old one can be resumed: /resume ${before}`);
  },
};

export const clearCommand: SlashCommand = {
  name: "clear",
  description: "Clear the screen and begin a new conversation",
  category: "Session",
  cliOnly: true,
  whileRunning: "now",
  async run({ session }) {
    await session.startNew("session_reset");
    return act({ do: "clear-screen" });
  },
};
