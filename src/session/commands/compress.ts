import { shortCount } from "#foundation/text/figures";
import type { SlashCommand } from "./command.ts";
import { say } from "./views.ts";

export const compressCommand: SlashCommand = {
  name: "compress",
  description: "Summarise the older part of this conversation now",
  category: "Session",
  argsHint: "[focus topic]",
  whileRunning: "busy",
  async run({ session, args, signal }) {
    const done = await session.handle.compress(args === "" ? undefined : args, signal);
    if (done === undefined) return say("There is nothing to compress yet.");
    const saved = done.before === 0 ? 0 : Math.round((1 - done.after / done.before) * 100);
    return say(`Compressed: ${shortCount(done.before)} → ${shortCount(done.after)} tokens (${saved} % less).`);
  },
};
