import { describe } from "#foundation/errors";
import { plural, relativeTime } from "#foundation/text/figures";
import type { CommandView } from "../../api.ts";
import { type Restored, Snapshots } from "../../reports/snapshots.ts";

import { type CommandServices, defineCommand } from "../command.ts";
import { fault, say, warn } from "../views.ts";

const keptByDefault = 10;

export const snapshotCommand = defineCommand({
  name: "snapshot",
  aliases: ["snap"],
  description: "Keep a copy of settings, memory and sessions, or go back to one",
  category: "Session",
  argsHint: "create [label] | restore id | prune [n]",
  subcommands: ["create", "restore", "prune"],
  cliOnly: true,
  whileRunning: "now",
  whileRunningFor: ([first]) => (first?.toLowerCase() === "restore" ? "busy" : "now"),
  takes: ["home", "store", "clock"],
  async run({ words, signal }, { home, store, clock }) {
    const snapshots = new Snapshots(home, { store, clock });
    const [first = "list", ...rest] = words;
    try {
      return await answer([first.toLowerCase(), ...rest], { snapshots, clock }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return fault(describe(error));
    }
  },
});

type SnapshotServices = Pick<CommandServices, "clock"> & { readonly snapshots: Snapshots };

async function answer(words: readonly string[], services: SnapshotServices, signal: AbortSignal): Promise<CommandView> {
  const { snapshots } = services;
  const [verb = "", ...rest] = words;
  switch (verb) {
    case "list":
      return await list(services);
    case "create": {
      const id = await snapshots.create(rest.join(" "), signal);
      return say(`Created snapshot ${id}.`);
    }
    case "restore": {
      const [id] = rest;
      if (id === undefined) return warn("Which one? /snapshot restore <id>");
      return say(restoredText(await snapshots.restore(id, signal)));
    }
    case "prune": {
      const keep = rest[0] === undefined ? keptByDefault : Number(rest[0]);
      if (!Number.isInteger(keep) || keep < 0)
        return warn("Usage: /snapshot prune, or /snapshot prune 3 to keep three");
      return say(`${plural(await snapshots.prune(keep), "snapshot")} removed.`);
    }
    default:
      return warn("Usage: /snapshot, /snapshot create [label], /snapshot restore <id>, /snapshot prune [n]");
  }
}

/** What is as it was, what is not, and how the rest is done. */
function restoredText({ restored, newer, before, database }: Restored): string {
  const lines = [
    `Restored: ${restored.join(", ") || "nothing"}. They take effect when Hermes is restarted.`,
    `What was there before is in snapshot ${before}.`,
  ];
  if (newer.length > 0) lines.push(`Left as they are, because the snapshot does not have them: ${newer.join(", ")}.`);
  if (database !== undefined) {
    const { copy, location } = database;
    const command = `rm -f '${location}-wal' '${location}-shm' && cp '${copy}' '${location}'`;
    lines.push(
      "Not restored: the conversations, because they are in use. To go back to those of the snapshot, leave Hermes " +
        `everywhere and run: ${command}`,
    );
  }
  return lines.join("\n");
}

async function list({ snapshots, clock }: SnapshotServices): Promise<CommandView> {
  const all = await snapshots.list();
  if (all.length === 0) return say("There are no snapshots. /snapshot create [label] takes one.");
  const rows = all.map((one) => [one.id, relativeTime(one.takenAtMs, clock.now()), plural(one.files, "file")]);
  return { kind: "table", title: "Snapshots, newest first", columns: ["Id", "When", "Size"], rows };
}
