import { SkillUsage } from "#agent";
import { systemClock } from "#foundation/clock";
import { silentLogger } from "#foundation/logger";
import type { Invocation } from "../../command.ts";
import { homeOf } from "../../support/home.ts";

export interface UsedSkill {
  readonly name: string;
  readonly loads: number;
  readonly edits: number;
  readonly lastUsedAtMs: number;
}

const most = 10;

/** Skills used in the period, most loaded first. The figures themselves count from the beginning. */
export async function usedSkills(invocation: Invocation, sinceMs: number): Promise<readonly UsedSkill[]> {
  const usage = new SkillUsage(homeOf(invocation), { clock: systemClock, logger: silentLogger });
  return [...(await usage.all())]
    .map(([name, use]) => ({ name, ...use }))
    .filter((one) => one.lastUsedAtMs >= sinceMs)
    .sort((left, right) => right.loads - left.loads || right.lastUsedAtMs - left.lastUsedAtMs)
    .slice(0, most);
}
