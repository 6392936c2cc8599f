import { newSessionId } from "../session-id.ts";
import type { SlashCommand } from "./command.ts";
import { act, warn } from "./views.ts";

export const branchCommand: SlashCommand = {
  name: "branch",
  aliases: ["fork"],
  description: "Copy this conversation into a new session and go on there",
  category: "Session",
  argsHint: "[name]",
  whileRunning: "busy",
  async run({ session, deps, args }) {
    if (session.history.length === 0) return warn("Nothing has been said yet, so there is nothing to branch from.");
    const { store, clock } = deps;
    const parent = session.info.id;
    const wanted = args === "" ? session.info.title : args;
    const title = wanted === undefined ? undefined : await store.sessions.nextTitle(wanted);
    const child = await store.sessions.branch(parent, {
      id: newSessionId(clock.now()),
      ...(title === undefined ? {} : { title }),
    });
    await store.sessions.end(parent, "branched");
    return act({ do: "switch-session", id: child.id });
  },
};
