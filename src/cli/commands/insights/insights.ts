import { systemClock } from "#foundation/clock";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { openExistingStore } from "../../support/store.ts";
import { activityOf } from "./activity.ts";
import { insightsCsv } from "./csv.ts";
import { usedSkills } from "./skills.ts";
import { insightsText } from "./text.ts";

const dayMs = 86_400_000;

export async function insights(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const days = flagNumber(invocation, "days", { usual: 30, max: 36_500 });
  const source = flagText(invocation, "source");
  await using store = await openExistingStore(invocation);
  const wish = {
    sinceMs: systemClock.now() - days * dayMs,
    signal: invocation.io.signal,
    ...(source === undefined ? {} : { source }),
  };
  const report = await store?.reports.insights(wish);
  if (report === undefined || report.totals.sessions === 0) {
    out.document({ empty: true, days, source: source ?? null });
    out.line(`No sessions in the last ${days} days.`);
    return 0;
  }
  const activity = activityOf(report.startedAtMs);
  const skills = await usedSkills(invocation, wish.sinceMs);
  if (hasFlag(invocation, "csv")) {
    await out.raw(insightsCsv(report));
    return 0;
  }
  const { startedAtMs: _many, ...rest } = report;
  out.document({
    empty: false,
    days,
    source: source ?? null,
    ...(snakeCase(rest) as object),
    activity: snakeCase(activity),
    skills: snakeCase(skills),
  });
  for (const line of insightsText({ report, activity, skills, days }, out.style)) out.line(line);
  return 0;
}
