import { shortDuration } from "#foundation/text/figures";
import { truncateEnd } from "#foundation/text/text";
import type { SlashCommand } from "./command.ts";
import { say, warn } from "./views.ts";

export const backgroundCommand: SlashCommand = {
  name: "background",
  aliases: ["bg", "btw"],
  description: "Run a prompt in a session of its own and show the result when it is there",
  category: "Session",
  argsHint: "<prompt>",
  whileRunning: "now",
  async run({ session, args }) {
    if (args === "") return warn("What should be done in the background? /background <prompt>");
    const id = session.startBackground(args);
    return say(`Working on it in the background (${id}).`);
  },
};

export const agentsCommand: SlashCommand = {
  name: "agents",
  aliases: ["tasks"],
  description: "Show what is running: turns, child agents, background work, processes",
  category: "Session",
  whileRunning: "now",
  async run({ session, deps }) {
    const now = deps.clock.now();
    const turn = session.info.isBusy
      ? [["turn", session.info.id, session.info.title ?? "this conversation", "running"]]
      : [];
    const children = session.childTasks().map(({ id, task }) => ["child", id, truncateEnd(task, 60), "running"]);
    const background = session
      .backgroundRuns()
      .map((run) => ["background", run.id, truncateEnd(run.prompt, 60), shortDuration(now - run.startedAtMs)]);
    const processes = session.handle
      .processes()
      .map((one) => ["process", one.id, truncateEnd(one.command, 60), one.state]);
    const rows = [...turn, ...children, ...background, ...processes];
    if (rows.length === 0) return say("Nothing is running.");
    return { kind: "table", title: "Running", columns: ["Kind", "Id", "What", "State"], rows };
  },
};
