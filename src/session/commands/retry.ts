import { imagesOf, textOf } from "#conversation";
import { truncateEnd } from "#foundation/text/text";
import type { SlashCommand } from "./command.ts";
import { fault, say, warn } from "./views.ts";

export const retryCommand: SlashCommand = {
  name: "retry",
  description: "Send your last message again",
  category: "Session",
  whileRunning: "busy",
  async run({ session }) {
    const last = await session.dropLastExchange();
    if (last === undefined) return warn("There is no message to send again.");
    // As if typed again: what called a skill then calls it now.
    const images = imagesOf(last.content).map((part) => part.image_url.url);
    const submission = await session.submit({ text: textOf(last.content), images });
    if (submission.kind === "turn") return { kind: "turn", ended: submission.ended };
    if (submission.kind === "command") return submission.view;
    return fault("The message was taken back, but could not be sent again.");
  },
};

export const undoCommand: SlashCommand = {
  name: "undo",
  description: "Take the last exchange back",
  category: "Session",
  whileRunning: "busy",
  async run({ session }) {
    const last = await session.dropLastExchange();
    if (last === undefined) return warn("There is nothing to take back.");
    return say(`Taken back: ${truncateEnd(textOf(last.content).replace(/\s+/g, " ").trim(), 80)}`);
  },
};
