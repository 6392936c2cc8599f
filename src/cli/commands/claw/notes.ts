import path from "node:path";
import { type MemoryTarget, previewOf, scanThreats, sizeOf } from "#agent";
import { type OpenNotes, openNotes } from "../../support/memory.ts";
import { archiveFile, maxDocumentBytes as maxBytes } from "./archive.ts";
import { noteEntries, sameRemark } from "./note-entries.ts";
import { readOldText } from "./old-home.ts";
import type { Migration, Step } from "./step.ts";

const files: readonly (readonly [MemoryTarget, string])[] = [
  ["memory", "MEMORY.md"],
  ["user", "USER.md"],
];

/** Notes are merged remark by remark, as far as there is room; a file of which something is left over is archived. */
export async function planNotes(migration: Migration): Promise<readonly Step[]> {
  const opened = await openNotes(migration.invocation);
  const steps: Step[] = [];
  for (const [target, name] of files) {
    const file = path.join(migration.old.workspace, name);
    const text = await readOldText(file, maxBytes);
    if (text === undefined) continue;
    const planned = await planRemarks(migration, opened, { target, name, text });
    steps.push(...planned.steps);
    if (planned.isLeftOver)
      steps.push(
        archiveFile(migration, { area: "notes", file, as: `workspace/${name}`, why: "not all of it was taken over" }),
      );
  }
  return steps;
}

interface OldNotes {
  readonly target: MemoryTarget;
  readonly name: string;
  readonly text: string;
}

async function planRemarks(
  { redact }: Migration,
  { notes }: OpenNotes,
  { target, name, text }: OldNotes,
): Promise<{ readonly steps: readonly Step[]; readonly isLeftOver: boolean }> {
  const { isEnabled, limit } = notes.settings[target];
  const kept = [...(await notes.read(target))];
  const known = new Set(kept.map(sameRemark));
  const steps: Step[] = [];
  let isLeftOver = false;
  for (const entry of noteEntries(text)) {
    const item = { area: "notes", item: `${name}: ${redact(previewOf(entry)).replace(/\s+/g, " ")}` } as const;
    const skip = (why: string): void => void steps.push({ ...item, kind: "skip", why });
    const threats = scanThreats(entry, "memory");
    if (known.has(sameRemark(entry))) {
      skip("it is here already");
      continue;
    }
    const why = !isEnabled
      ? "these notes are switched off here"
      : threats.length > 0
        ? threats.join(", ")
        : redact(entry) !== entry
          ? "it seems to hold a credential"
          : sizeOf([...kept, entry]) > limit
            ? `it does not fit: the notes may have ${limit} characters`
            : undefined;
    if (why !== undefined) {
      skip(why);
      isLeftOver = true;
      continue;
    }
    kept.push(entry);
    known.add(sameRemark(entry));
    steps.push({
      ...item,
      kind: "take",
      into: notes.pathOf(target),
      apply: async (signal) => {
        const decision = await notes.change(target, { action: "add", content: entry }, signal);
        if (decision.kind !== "write" && decision.kind !== "already-there")
          throw new Error("the notes have become too long meanwhile");
      },
    });
  }
  return { steps, isLeftOver };
}
