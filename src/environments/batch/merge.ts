import { open, rename } from "node:fs/promises";
import path from "node:path";
import { embedJson } from "#agent";
import { never } from "#foundation/lifecycle/abort";
import { toExact } from "#foundation/text/exact-json-text";
import { isRecord } from "#foundation/text/json";
import type { RunFolder } from "./run-folder.ts";

export interface MergeOutcome {
  readonly entries: number;
  readonly filtered: number;
  readonly files: number;
}

/**
 * All batch files as one, by number. A line that names a tool nobody has is left out: the model made it up. Metadata that
 * some lines lack is null there, so that all have the same columns.
 */
export async function mergeBatches(folder: RunFolder, known: ReadonlySet<string>): Promise<MergeOutcome> {
  const columns = new Set<string>();
  for await (const { entry } of folder.entries(never))
    if (isRecord(entry["metadata"])) for (const name of Object.keys(entry["metadata"])) columns.add(name);
  const target = path.join(folder.folder, "trajectories.jsonl");
  const draft = `${target}.part`;
  const outcome = { entries: 0, filtered: 0, files: (await folder.batchFiles()).length };
  {
    await using file = await open(draft, "w");
    for await (const { entry } of folder.entries(never)) {
      const stats = isRecord(entry["tool_stats"]) ? Object.keys(entry["tool_stats"]) : [];
      if (stats.some((name) => !known.has(name))) {
        outcome.filtered += 1;
        continue;
      }
      const metadata = isRecord(entry["metadata"]) ? entry["metadata"] : {};
      const filled = Object.fromEntries([...columns].map((name) => [name, metadata[name] ?? null]));
      await file.write(`${embedJson(toExact({ ...entry, metadata: filled }))}\n`);
      outcome.entries += 1;
    }
  }
  await rename(draft, target);
  return outcome;
}
