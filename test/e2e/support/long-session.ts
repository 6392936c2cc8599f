import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Stage } from "./stage.ts";

/** Stores a conversation of so many messages; the answers are Markdown of different heights. */
export async function importLongSession(stage: Stage, count: number): Promise<string> {
  const id = "20260101_000000_abcdef12";
  const messages = Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: index % 2 === 0 ? `Question ${index}` : answer(index),
    uid: `long-${index}`,
    timestamp: 1_760_000_000 + index,
  }));
  const file = path.join(stage.folder, "long.jsonl");
  const session = { id, source: "cli", title: "A long conversation", started_at: 1_760_000_000, messages };
  await writeFile(file, `${JSON.stringify(session)}\n`);
  const { code, stderr } = await stage.run(["sessions", "import", file]);
  if (code !== 0) throw new Error(stderr);
  return id;
}

function answer(index: number): string {
  const lines = Array.from({ length: index % 7 }, (_, line) => `- point ${line} of **${index}**`);
  return [`Answer ${index}.`, ...lines].join("\n");
}
