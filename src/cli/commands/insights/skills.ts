import { silentLogger } from "#foundation/files/logger";
import { systemClock } from "#foundation/time/clock";
import type { SkillUseFigures } from "#session";
import { SkillUsage } from "#skills";
import type { Invocation } from "../../command.ts";
import { homeOf } from "../../support/home.ts";

/** How skills were used; the figures count from the beginning. */
export async function skillUse(invocation: Invocation): Promise<readonly SkillUseFigures[]> {
  const usage = new SkillUsage(homeOf(invocation), { clock: systemClock, logger: silentLogger });
  return [...(await usage.all())].map(([name, use]) => ({ name, ...use }));
}
