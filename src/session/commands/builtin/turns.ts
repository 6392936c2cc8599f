import { plural, shortDuration } from "#foundation/text/figures";
import { truncateEnd } from "#foundation/text/text";
import type { CommandView } from "../../api.ts";
import type { AgentServices } from "../../services/services.ts";
import { defineCommand } from "../command.ts";
import { say, submissionView, warn } from "../views.ts";

export const queueCommand = defineCommand({
  name: "queue",
  aliases: ["q"],
  description: "Send a prompt after the running turn, without stopping it",
  category: "Session",
  argsHint: "<prompt>",
  whileRunning: "now",
  takes: ["turns"],
  async run({ args }, { turns }) {
    if (args !== "") return submissionView(await turns.say({ text: args, images: [] }, { mode: "queue" }));
    const sent = turns.releaseHeld();
    if (sent > 0) return say(`${plural(sent, "waiting message")} sent.`);
    const { queued } = turns;
    return say(
      queued.length === 0 ? "The queue is empty." : queued.map((text, index) => `${index + 1}. ${text}`).join("\n"),
    );
  },
});

export const steerCommand = defineCommand({
  name: "steer",
  description: "Steer the running turn; if none runs, send as a message",
  category: "Session",
  argsHint: "<text>",
  whileRunning: "now",
  takes: ["turns"],
  async run({ args }, { turns }) {
    if (args === "") return warn("What should change? Usage: /steer <text>");
    return submissionView(await turns.say({ text: args, images: [] }, { mode: "steer" }));
  },
});

export const continueCommand = defineCommand({
  name: "continue",
  description: "Continue a turn that was cut off",
  category: "Session",
  whileRunning: "busy",
  takes: ["turns"],
  async run(_call, { turns }) {
    const submission = turns.continueTurn();
    return submission === undefined
      ? warn("The last turn is finished; there is nothing to continue.")
      : submissionView(submission);
  },
});

export const stopCommand = defineCommand({
  name: "stop",
  description: "End background processes; in a chat also the running turn",
  category: "Session",
  whileRunning: "now",
  takes: ["turns", "processes"],
  async run({ surface }, { turns, processes }) {
    const stopsTurn = surface === "gateway" && turns.isBusy;
    if (stopsTurn) await turns.stop();
    const ended = await processes.stopAll();
    const turn = stopsTurn ? "The turn was stopped. " : "";
    return say(
      `${turn}${ended === 0 ? "No background process was running." : `${ended} background process${ended === 1 ? "" : "es"} ended.`}`,
    );
  },
});

export const approveCommand = defineCommand({
  name: "approve",
  description: "Approve the pending request",
  category: "Session",
  argsHint: "[folder|session|always]",
  subcommands: ["folder", "session", "always"],
  gatewayOnly: true,
  whileRunning: "now",
  takes: ["asking"],
  async run({ words }, { asking }) {
    const scope = words[0]?.toLowerCase();
    const choice = scope === "folder" || scope === "session" || scope === "always" ? scope : "once";
    return asking.approveOpen(choice) ? { kind: "nothing" } : warn("Nothing is waiting for approval.");
  },
});

export const denyCommand = defineCommand({
  name: "deny",
  description: "Deny the pending request",
  category: "Session",
  gatewayOnly: true,
  whileRunning: "now",
  takes: ["asking"],
  async run(_call, { asking }) {
    return asking.approveOpen("deny") ? { kind: "nothing" } : warn("Nothing is waiting for approval.");
  },
});

export const backgroundCommand = defineCommand({
  name: "background",
  aliases: ["bg", "btw"],
  description: "Run a prompt in a session of its own and show the result when it is done",
  category: "Session",
  argsHint: "<prompt>",
  whileRunning: "now",
  takes: ["background"],
  async run({ args }, { background }) {
    if (args === "") return warn("What should be done in the background? Usage: /background <prompt>");
    return say(`Working on it in the background (${background.start(args)}).`);
  },
});

export const agentsCommand = defineCommand({
  name: "agents",
  aliases: ["tasks"],
  description: "Show what is running: turns, child agents, background work, processes",
  category: "Session",
  argsHint: "[list]",
  subcommands: ["list"],
  whileRunning: "now",
  takes: ["clock", "children", "background", "processes", "agents"],
  async run({ session: { info }, words }, { clock, children, background, processes, agents }) {
    if (words[0] === "list") return agentsView(await agents.list());
    const now = clock.now();
    const turn = info.isBusy ? [["turn", info.id, info.title ?? "this conversation", "running"]] : [];
    const rows = [
      ...turn,
      ...children.list().map(({ id, task }) => ["child", id, truncateEnd(task, 60), "running"]),
      ...background
        .list()
        .map((run) => ["background", run.id, truncateEnd(run.prompt, 60), shortDuration(now - run.startedAtMs)]),
      ...processes.list().map((one) => ["process", one.id, truncateEnd(one.command, 60), one.state]),
    ];
    if (rows.length === 0) return say("Nothing is running.");
    return { kind: "table", title: "Running", columns: ["Kind", "Id", "What", "State"], rows };
  },
});

function agentsView({ agents, broken }: Awaited<ReturnType<AgentServices["agents"]["list"]>>): CommandView {
  const rows = [
    ...agents.map(({ name, description, model, origin }) => [name, description, model ?? "", origin]),
    ...broken.map(({ file, reason }) => [file, `cannot be used: ${reason}`, "", ""]),
  ];
  if (rows.length === 0) return say("No agents yet. An agent is a file: agents/<name>.md in the Hermes home.");
  return { kind: "table", title: "Agents", columns: ["Name", "About", "Model", "From"], rows };
}

export const cronCommand = defineCommand({
  name: "cron",
  description: "Show and change scheduled jobs",
  category: "Tools & Skills",
  argsHint: "[add <schedule> | <prompt>]",
  subcommands: ["list", "add", "pause", "resume", "run", "remove"],
  whileRunning: "now",
  takes: ["cron"],
  async run({ args }, { cron }) {
    return say(await cron.answer(args));
  },
});
