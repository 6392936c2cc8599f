import { describe } from "#foundation/errors";
import { relativeTime } from "#foundation/text/figures";
import type { CommandView } from "../api.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { fault, say, warn } from "./views.ts";

const mostDiffLines = 80;

export const rollbackCommand: SlashCommand = {
  name: "rollback",
  description: "List file checkpoints, show one, or restore it",
  category: "Session",
  argsHint: "[n] | diff n | n file",
  subcommands: ["diff"],
  whileRunning: "busy",
  whileRunningFor: ([first]) => (first === undefined || first === "diff" ? "now" : "busy"),
  async run(context) {
    const { words, session, signal } = context;
    const checkpoints = await session.handle.checkpoints.list(signal);
    if (checkpoints.length === 0) return say("There are no checkpoints for this folder.");
    const [first, ...rest] = words;
    if (first === undefined) return listView(context, checkpoints);
    const isDiff = first.toLowerCase() === "diff";
    const number = Number(isDiff ? rest[0] : first);
    const chosen = Number.isInteger(number) ? checkpoints[number - 1] : undefined;
    if (chosen === undefined) return warn(`Choose a checkpoint between 1 and ${checkpoints.length}.`);
    if (isDiff) return { kind: "markdown", text: fenced(await session.handle.checkpoints.diff(chosen.id, signal)) };
    return await restore(context, chosen.id, rest.join(" "));
  },
};

type Checkpoints = Awaited<ReturnType<CommandContext["session"]["handle"]["checkpoints"]["list"]>>;

function listView({ deps }: CommandContext, checkpoints: Checkpoints): CommandView {
  return {
    kind: "table",
    title: "Checkpoints, newest first. /rollback n restores one; /rollback diff n shows it.",
    columns: ["#", "Id", "When", "Reason", "Files"],
    rows: checkpoints.map((one, index) => [
      String(index + 1),
      one.id.slice(0, 8),
      relativeTime(one.atMs, deps.clock.now()),
      one.reason,
      one.files === undefined ? "" : String(one.files),
    ]),
  };
}

async function restore({ session, signal }: CommandContext, id: string, file: string): Promise<CommandView> {
  try {
    const message = await session.handle.checkpoints.restore(id, file === "" ? undefined : file, signal);
    // The model must not believe in changes that are no longer there.
    const dropped = file === "" ? await session.dropLastExchange() : undefined;
    return say(dropped === undefined ? message : `${message} The last exchange was taken back as well.`);
  } catch (error) {
    return fault(`Nothing was restored: ${describe(error)}`);
  }
}

function fenced(diff: string): string {
  const lines = diff.trimEnd().split("\n");
  const shown = lines.slice(0, mostDiffLines);
  if (lines.length > mostDiffLines) shown.push(`… ${lines.length - mostDiffLines} more lines`);
  return diff.trim() === "" ? "No difference." : `\`\`\`\`diff\n${shown.join("\n")}\n\`\`\`\``;
}
