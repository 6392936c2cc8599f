import { describe } from "#foundation/errors";
import { plural, relativeTime } from "#foundation/text/figures";
import type { CommandView } from "../api.ts";
import { type Restored, Snapshots } from "../snapshots.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { fault, say, warn } from "./views.ts";

const keptByDefault = 10;

export const snapshotCommand: SlashCommand = {
  name: "snapshot",
  aliases: ["snap"],
  description: "Keep a copy of settings, memory and sessions, or go back to one",
  category: "Session",
  argsHint: "create [label] | restore id | prune [n]",
  subcommands: ["create", "restore", "prune"],
  cliOnly: true,
  whileRunning: "now",
  whileRunningFor: ([first]) => (first?.toLowerCase() === "restore" ? "busy" : "now"),
  async run(context) {
    const { deps, words } = context;
    if (deps.home === undefined) return warn("There is no home folder to take snapshots of.");
    const snapshots = new Snapshots(deps.home, { store: deps.store, clock: deps.clock });
    const [first = "list", ...rest] = words;
    try {
      return await answer(context, snapshots, [first.toLowerCase(), ...rest]);
    } catch (error) {
      if (context.signal.aborted) throw error;
      return fault(describe(error));
    }
  },
};

async function answer(context: CommandContext, snapshots: Snapshots, words: readonly string[]): Promise<CommandView> {
  const [verb = "", ...rest] = words;
  switch (verb) {
    case "list":
      return await list(context, snapshots);
    case "create": {
      const id = await snapshots.create(rest.join(" "), context.signal);
      return say(`Snapshot ${id} was taken.`);
    }
    case "restore": {
      const [id] = rest;
      if (id === undefined) return warn("Which one? /snapshot restore <id>");
      return say(restoredText(await snapshots.restore(id, context.signal)));
    }
    case "prune": {
      const keep = rest[0] === undefined ? keptByDefault : Number(rest[0]);
      if (!Number.isInteger(keep) || keep < 0) return warn("/snapshot prune, or /snapshot prune 3 to keep three");
      return say(`${plural(await snapshots.prune(keep), "snapshot")} removed.`);
    }
    default:
      return warn("/snapshot, /snapshot create [label], /snapshot restore <id>, /snapshot prune [n]");
  }
}

/** What is as it was, what is not, and how the rest is done. */
function restoredText({ restored, newer, before, database }: Restored): string {
  const lines = [
    `Restored: ${restored.join(", ") || "nothing"}. They count when Hermes is started again.`,
    `What was there before is in snapshot ${before}.`,
  ];
  if (newer.length > 0) lines.push(`Left as they are, because the snapshot does not have them: ${newer.join(", ")}.`);
  if (database !== undefined) {
    const { copy, place } = database;
    const command = `rm -f '${place}-wal' '${place}-shm' && cp '${copy}' '${place}'`;
    lines.push(
      "Not restored: the conversations, because they are in use. To go back to those of the snapshot, leave Hermes " +
        `everywhere and run: ${command}`,
    );
  }
  return lines.join("\n");
}

async function list({ deps }: CommandContext, snapshots: Snapshots): Promise<CommandView> {
  const all = await snapshots.list();
  if (all.length === 0) return say("There are no snapshots. /snapshot create [label] takes one.");
  const rows = all.map((one) => [one.id, relativeTime(one.takenAtMs, deps.clock.now()), plural(one.files, "file")]);
  return { kind: "table", title: "Snapshots, newest first", columns: ["Id", "When", "Size"], rows };
}
