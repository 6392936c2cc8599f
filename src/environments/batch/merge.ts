import { createReadStream } from "node:fs";
import { open, rename } from "node:fs/promises";
import path from "node:path";
import { embedJson } from "#agent";
import { decodeExact, type ExactJson } from "#foundation/text/exact-json";
import { isRecord, parseJson } from "#foundation/text/json";
import { readLines } from "#foundation/text/lines";
import type { RunFolder } from "./run-folder.ts";

export interface MergeOutcome {
  readonly entries: number;
  readonly filtered: number;
  readonly files: number;
}

/**
 * All batch files as one, by number. A line that names a tool nobody has is left out: the model made it up. Metadata that
 * some lines lack is null there, so that all have the same columns; other lines are taken over byte for byte.
 */
export async function mergeBatches(folder: RunFolder, known: ReadonlySet<string>): Promise<MergeOutcome> {
  const columns = new Set<string>();
  for await (const { metadata } of wholeLines(folder)) for (const name of Object.keys(metadata)) columns.add(name);
  const target = path.join(folder.folder, "trajectories.jsonl");
  const draft = `${target}.part`;
  const outcome = { entries: 0, filtered: 0, files: (await folder.batchFiles()).length };
  {
    await using file = await open(draft, "w");
    for await (const { line, metadata, tools } of wholeLines(folder)) {
      if (tools.some((name) => !known.has(name))) {
        outcome.filtered += 1;
        continue;
      }
      const isWhole = [...columns].every((name) => name in metadata);
      await file.write(`${isWhole ? line : withColumns(line, columns)}\n`);
      outcome.entries += 1;
    }
  }
  await rename(draft, target);
  return outcome;
}

async function* wholeLines(folder: RunFolder) {
  for (const { file } of await folder.batchFiles())
    for await (const line of readLines(createReadStream(file))) {
      const parsed = parseJson(line);
      if (!parsed.ok || !isRecord(parsed.value)) continue;
      const { metadata, tool_stats } = parsed.value;
      yield {
        line,
        metadata: isRecord(metadata) ? metadata : {},
        tools: isRecord(tool_stats) ? Object.keys(tool_stats) : [],
      };
    }
}

function withColumns(line: string, columns: ReadonlySet<string>): string {
  const entry = decodeExact(line)?.value;
  if (!(entry instanceof Map)) return line;
  const metadata: unknown = entry.get("metadata");
  const own = metadata instanceof Map ? (metadata as Map<string, ExactJson>) : new Map<string, ExactJson>();
  const filled = new Map<string, ExactJson>([...columns].map((name) => [name, own.get(name) ?? null]));
  return embedJson(new Map(entry as Map<string, ExactJson>).set("metadata", filled));
}
