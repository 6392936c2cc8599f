import { plural } from "#foundation/text/figures";
import type { SlashCommand } from "./command.ts";
import { say, submissionView, warn } from "./views.ts";

export const queueCommand: SlashCommand = {
  name: "queue",
  aliases: ["q"],
  description: "Send a prompt after the running turn, without stopping it",
  category: "Session",
  argsHint: "<prompt>",
  whileRunning: "now",
  async run({ session, args }) {
    if (args !== "") return submissionView(await session.enqueue(args));
    const sent = session.releaseHeld();
    if (sent > 0) return say(`${plural(sent, "waiting message")} sent.`);
    const { queued } = session.info;
    return say(
      queued.length === 0 ? "Nothing is waiting." : queued.map((text, index) => `${index + 1}. ${text}`).join("\n"),
    );
  },
};

export const steerCommand: SlashCommand = {
  name: "steer",
  description: "Hand guidance into the running turn; without one it is a message",
  category: "Session",
  argsHint: "<text>",
  whileRunning: "now",
  async run({ session, args }) {
    if (args === "") return warn("Which way? /steer <text>");
    return submissionView(await session.guide(args));
  },
};
