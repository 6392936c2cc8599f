import type { TitleOutcome } from "#store";
import type { CommandView } from "../api.ts";
import type { SlashCommand } from "./command.ts";
import { fault, say } from "./views.ts";

export const titleCommand: SlashCommand = {
  name: "title",
  description: "Show or set the title of this conversation",
  category: "Session",
  argsHint: "[name]",
  whileRunning: "now",
  async run({ session, args }) {
    if (args === "") return say(session.info.title ?? "This conversation has no title.");
    const { outcome, isPending } = await session.setTitle(args);
    return titleView(outcome, isPending);
  },
};

function titleView(outcome: TitleOutcome, isPending: boolean): CommandView {
  switch (outcome.kind) {
    case "set":
      return say(isPending ? `Title, from the first message on: ${outcome.title}` : `Title: ${outcome.title}`);
    case "cleared":
      return say("The title is gone.");
    case "taken":
      return fault(`That title belongs to session ${outcome.by}. Choose another, or /resume ${outcome.by}`);
    case "too-long":
      return fault(`That title has ${outcome.length} characters; at most 100 are possible.`);
    case "no-session":
      return fault("This session is no longer in the store.");
  }
}
