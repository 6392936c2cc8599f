import { systemClock } from "#foundation/time/clock";
import { SkillTrash } from "#skills";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { loadSettings } from "../../support/settings.ts";

/** Deleted skills wait 30 days: lists them, or puts the newest of a name back. */
export async function skillsRestore(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { home } = await loadSettings(invocation, { isQuiet: true });
  const trash = new SkillTrash(home, systemClock);
  const [name] = invocation.args;
  if (name !== undefined) {
    await trash.restore(name);
    out.document({ restored: name });
    out.line(`${name} is back in skills/${name}.`);
    return 0;
  }
  const skills = await trash.list();
  out.document({
    trash: skills.map((one) => ({ name: one.name, deleted_at: new Date(one.deletedAtMs).toISOString() })),
  });
  if (skills.length === 0) out.line("No skill was deleted in the last 30 days.");
  else
    out.table(
      [{ title: "Name" }, { title: "Deleted" }],
      skills.map((one) => [one.name, new Date(one.deletedAtMs).toISOString().slice(0, 16).replace("T", " ")]),
    );
  return 0;
}
