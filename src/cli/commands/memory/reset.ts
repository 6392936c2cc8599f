import { copyFile, rm } from "node:fs/promises";
import { memoryTargets } from "#agent";
import { systemErrorCode } from "#foundation/errors";
import { systemClock } from "#foundation/time/clock";
import type { Invocation } from "../../command.ts";
import { flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { openNotes } from "../../support/memory.ts";

export async function memoryReset(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { notes } = await openNotes(invocation);
  const wanted = flagText(invocation, "target") ?? "all";
  const targets = memoryTargets.filter((target) => wanted === "all" || wanted === target);
  const question = `Forget the notes (${targets.join(", ")})? A copy is kept.`;
  if (!(await agreed(question, { io: invocation.io, isYes: hasFlag(invocation, "yes") }))) {
    out.line("Nothing was forgotten.");
    return 1;
  }
  const copies: string[] = [];
  for (const target of targets) {
    const file = notes.pathOf(target);
    const copy = `${file}.${systemClock.now()}.bak`;
    if (!(await movedAway(file, copy))) continue;
    copies.push(copy);
  }
  out.document({ targets, copies });
  out.line(copies.length === 0 ? "There were no notes." : `Forgotten. Copies: ${copies.join(", ")}`);
  return 0;
}

async function movedAway(file: string, copy: string): Promise<boolean> {
  try {
    await copyFile(file, copy);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
  await rm(file);
  return true;
}
