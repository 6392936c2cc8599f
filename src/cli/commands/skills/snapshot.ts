import path from "node:path";
import { writeFileAtomic } from "#foundation/files/files";
import { plural } from "#foundation/text/figures";
import { importSnapshot, takeSnapshot } from "#skills";
import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openSkillHub } from "../../support/skills.ts";

export async function snapshotExport(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const snapshot = await takeSnapshot(hub);
  const written = argument(invocation, 0);
  if (written === "-") {
    invocation.io.stdout.write(snapshot.text);
    return 0;
  }
  const file = path.resolve(invocation.io.cwd, written);
  await writeFileAtomic(file, snapshot.text);
  out.document({ file, skills: snapshot.skills });
  out.line(`Wrote ${plural(snapshot.skills, "skill")} to ${file}`);
  return 0;
}

export async function snapshotImport(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const file = path.resolve(invocation.io.cwd, argument(invocation, 0));
  const rows = await importSnapshot(hub, file, invocation.io.signal);
  out.document({ skills: rows });
  for (const { identifier, state, reason } of rows)
    out.line(`${identifier.padEnd(40)} ${state}${reason === undefined ? "" : `: ${reason}`}`);
  return rows.some(({ state }) => state === "blocked" || state === "failed") ? 1 : 0;
}
