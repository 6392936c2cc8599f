import type { SlashCommand } from "./command.ts";
import { say, warn } from "./views.ts";

export const continueCommand: SlashCommand = {
  name: "continue",
  description: "Go on with a turn that was cut off, from where it was",
  category: "Session",
  whileRunning: "busy",
  run({ session }) {
    const submission = session.continueTurn();
    if (submission?.kind === "turn") return Promise.resolve({ kind: "turn", ended: submission.ended });
    if (submission === undefined)
      return Promise.resolve(warn("The last turn is finished; there is nothing to go on with."));
    return Promise.resolve(say("It goes on when the running turn is over."));
  },
};
