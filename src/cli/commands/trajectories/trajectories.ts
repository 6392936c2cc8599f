import { createWriteStream } from "node:fs";
import path from "node:path";
import { finished } from "node:stream/promises";
import { fromShareGpt, isShareGptTurn, loadTrajectories, trajectoryProblems, trajectoryStats } from "#agent";
import { systemErrorCode, UserError } from "#foundation/errors";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";

/** A file with ten thousand wrong entries is wrong in one way; the first ones tell. */
const shownProblems = 20;

export async function validateTrajectories(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const problems: { readonly entry: number; readonly problems: readonly string[] }[] = [];
  let entries = 0;
  for await (const entry of entriesOf(invocation, "throw")) {
    entries += 1;
    const found = trajectoryProblems(entry);
    if (found.length > 0) problems.push({ entry: entries, problems: found });
  }
  out.document({ entries, invalid: problems.length, problems });
  for (const { entry, problems: found } of problems.slice(0, shownProblems))
    out.line(`Entry ${entry}: ${found.join("; ")}.`);
  if (problems.length > shownProblems) out.line(`… and ${problems.length - shownProblems} more.`);
  out.line(
    `${entries - problems.length} of ${entries} ${entries === 1 ? "entry" : "entries"} can be used for training.`,
  );
  return problems.length === 0 ? exitCodes.ok : exitCodes.failed;
}

export async function countTrajectories(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { entries, completed, invalid, turns, toolCalls, models } = await trajectoryStats(
    entriesOf(invocation, "throw"),
  );
  out.document({ entries, completed, invalid, turns, tool_calls: toolCalls, models });
  out.table(
    [{ title: "" }, { title: "" }],
    [
      ["Entries", String(entries)],
      ["Completed", String(completed)],
      ["Invalid", String(invalid)],
      ["Turns", String(turns)],
      ["Tool calls", String(toolCalls)],
      ...Object.entries(models).map(([model, count]) => [`Model ${model}`, String(count)]),
    ],
  );
  return exitCodes.ok;
}

/** One JSON object per conversation: its messages, and what else the entry says. */
export async function convertTrajectories(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const output = flagText(invocation, "output");
  const entries = entriesOf(invocation, hasFlag(invocation, "skip-invalid") ? "skip" : "throw");
  const into = output === undefined ? io.stdout : createWriteStream(path.resolve(io.cwd, output));
  let converted = 0;
  for await (const { conversations, ...facts } of entries) {
    if (!Array.isArray(conversations) || !conversations.every(isShareGptTurn))
      throw new UserError(`Entry ${converted + 1} has no conversation that can be read.`, {
        hint: "See what is wrong with: hermes trajectories validate <file>",
        code: "trajectory_invalid_entry",
      });
    into.write(`${JSON.stringify({ messages: fromShareGpt(conversations), ...facts })}\n`);
    converted += 1;
  }
  if (output !== undefined && "end" in into) {
    into.end();
    await finished(into as NodeJS.WritableStream, { signal: io.signal });
    new Output(invocation).note(`${converted} ${converted === 1 ? "conversation" : "conversations"} in ${output}.`);
  }
  return exitCodes.ok;
}

async function* entriesOf(invocation: Invocation, onInvalid: "throw" | "skip") {
  const { io } = invocation;
  const file = path.resolve(io.cwd, argument(invocation, 0));
  try {
    yield* loadTrajectories(file, { onInvalid, signal: io.signal });
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    throw new UserError(`There is no file ${file}.`, {
      hint: "Trajectories are written by: hermes chat --save-trajectories, hermes batch",
      code: "file_not_found",
    });
  }
}
