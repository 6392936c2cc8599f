import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { scanThreats } from "../threat-scan.ts";
import { joinEntries, type MemoryTarget, memoryTargets, previewOf, sizeOf, usageLine } from "./entries.ts";
import type { Notes } from "./notes.ts";

/** An entry somebody wrote past the tool and that would not have been accepted there. */
export interface WithheldEntry {
  readonly target: MemoryTarget;
  readonly threats: readonly string[];
  readonly preview: string;
}

/** Both files as the prompt of one session shows them; taken once, so that the prompt never changes under a session. */
export interface MemorySnapshot {
  readonly blocks: Readonly<Partial<Record<MemoryTarget, string>>>;
  readonly withheld: readonly WithheldEntry[];
  /** One sentence for each file that could not be read. */
  readonly problems: readonly string[];
}

export async function takeSnapshot(notes: Notes, logger: Logger): Promise<MemorySnapshot> {
  const blocks: Partial<Record<MemoryTarget, string>> = {};
  const withheld: WithheldEntry[] = [];
  const problems: string[] = [];
  for (const target of memoryTargets) {
    const { isEnabled, limit } = notes.settings[target];
    if (!isEnabled) continue;
    try {
      const entries = await notes.read(target);
      const judged = entries.map((entry) => ({ entry, threats: scanThreats(entry, "memory") }));
      for (const { entry, threats } of judged) {
        if (threats.length > 0) withheld.push({ target, threats, preview: previewOf(entry) });
      }
      const shown = judged.filter(({ threats }) => threats.length === 0).map(({ entry }) => entry);
      const block = renderBlock(target, shown, { used: sizeOf(entries), limit });
      if (block !== undefined) blocks[target] = block;
    } catch (error) {
      problems.push(describe(error));
    }
  }
  for (const { target, threats } of withheld) logger.warn("memory entry left out of the prompt", { target, threats });
  for (const problem of problems) logger.warn("memory not in the prompt", { problem });
  return { blocks, withheld, problems };
}

const rule = "═".repeat(46);
const headings: Readonly<Record<MemoryTarget, string>> = {
  memory: "MEMORY (your personal notes)",
  user: "USER PROFILE (who the user is)",
};

/** The size is that of the file: entries that are not shown take up room all the same. */
function renderBlock(
  target: MemoryTarget,
  entries: readonly string[],
  size: { readonly used: number; readonly limit: number },
): string | undefined {
  if (entries.length === 0) return undefined;
  const heading = `${headings[target]} [${usageLine(size.used, size.limit)}]`;
  return [rule, heading, rule, joinEntries(entries)].join("\n");
}
