import { describe } from "#foundation/errors";
import { relativeTime } from "#foundation/text/figures";
import type { Snapshot } from "#tools";
import type { CommandView } from "../../api.ts";
import { type CommandServices, defineCommand } from "../command.ts";
import { fault, say, warn } from "../views.ts";

const mostDiffLines = 80;

export const rollbackCommand = defineCommand({
  name: "rollback",
  description: "List checkpoints of the files, compare with one, or go back to it",
  category: "Session",
  argsHint: "[n] | diff n | n file",
  subcommands: ["diff"],
  whileRunning: "busy",
  whileRunningFor: ([first]) => (first === undefined || first === "diff" ? "now" : "busy"),
  takes: ["checkpoints", "clock", "conversation"],
  async run({ words, session, signal }, services) {
    const { checkpoints: service } = services;
    const checkpoints = await service.list(signal);
    if (checkpoints.length === 0) return say("There are no checkpoints for this folder.");
    const [first, ...rest] = words;
    if (first === undefined) return listView(checkpoints, services.clock.now());
    const isDiff = first.toLowerCase() === "diff";
    const number = Number(isDiff ? rest[0] : first);
    const chosen = Number.isInteger(number) ? checkpoints[number - 1] : undefined;
    if (chosen === undefined) return warn(`Choose a checkpoint between 1 and ${checkpoints.length}.`);
    if (isDiff) return { kind: "markdown", text: fenced(await service.diff(chosen.id, signal)) };
    const turn = session.history.findLast(({ role }) => role === "user")?.uid;
    // What was changed after the checkpoint is gone; the words of the turn that did it go with it, and no others.
    const isLastTurn = turn !== undefined && checkpoints.slice(0, number).some((one) => one.turn === turn);
    return await restore(services, { id: chosen.id, file: rest.join(" "), isLastTurn }, signal);
  },
});

function listView(checkpoints: readonly Snapshot[], nowMs: number): CommandView {
  return {
    kind: "table",
    title:
      "Checkpoints, newest first. /rollback n goes back to one, /rollback n file for one file; /rollback diff n compares.",
    columns: ["#", "Id", "When", "Before", "Files that differ now"],
    rows: checkpoints.map((one, index) => [
      String(index + 1),
      one.id.slice(0, 8),
      relativeTime(one.atMs, nowMs),
      one.reason,
      String(one.differing),
    ]),
  };
}

async function restore(
  { checkpoints, conversation }: Pick<CommandServices, "checkpoints" | "conversation">,
  { id, file, isLastTurn }: { readonly id: string; readonly file: string; readonly isLastTurn: boolean },
  signal: AbortSignal,
): Promise<CommandView> {
  try {
    const message = await checkpoints.restore(id, file === "" ? undefined : file, signal);
    // The model must not believe in changes that are no longer there.
    if (file !== "") return say(message);
    const dropped = isLastTurn ? await conversation.dropLastExchange() : undefined;
    const words =
      dropped === undefined ? "The conversation stays as it is" : "The last exchange was taken back as well";
    return say(`${message} ${words}.`);
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
