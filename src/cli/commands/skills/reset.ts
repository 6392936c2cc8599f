import { resetBundledSkill } from "#skills";
import type { Invocation } from "../../command.ts";
import { argument, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { agreed } from "../../support/ask.ts";
import { openSkillHub } from "../../support/skills.ts";

export async function skillsReset(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const name = argument(invocation, 0);
  const restore = hasFlag(invocation, "restore");
  const question = `Replace your text of ${name} with the bundled one?`;
  if (restore && !(await agreed(question, { io: invocation.io, isYes: hasFlag(invocation, "yes") }))) {
    out.line("Nothing was changed.");
    return 1;
  }
  const { home, shippedFolder } = await openSkillHub(invocation);
  const outcome = await resetBundledSkill({ name, restore, shippedFolder }, home, invocation.io.signal);
  out.document({ skill: name, outcome });
  out.line(outcome === "restored" ? `${name} is as bundled.` : `${name} is unchanged and follows updates again.`);
  return 0;
}
