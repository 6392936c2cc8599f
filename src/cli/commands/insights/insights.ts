import { defined } from "#foundation/defined";
import { systemClock } from "#foundation/time/clock";
import { collectInsights, insightsCsv, insightsJson, insightsText } from "#session";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText, hasFlag } from "../../invocation.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { loadSettings } from "../../support/settings.ts";
import { openExistingStore } from "../../support/store.ts";
import { skillUse } from "./skills.ts";

/** The report of `/insights`, outside of a conversation. */
export async function insights(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const days = flagNumber(invocation, "days", { usual: 30, max: 36_500 });
  const source = flagText(invocation, "source");
  await using store = await openExistingStore(invocation);
  if (store === undefined) {
    out.document({ empty: true, days, source: source ?? null });
    out.line(`No sessions in the last ${days} days.`);
    return 0;
  }
  const { timezone: timeZone } = (await loadSettings(invocation, { isQuiet: true })).loaded.config;
  const wanted = { days, nowMs: systemClock.now(), skills: await skillUse(invocation), timeZone };
  const report = await collectInsights(store, { ...wanted, ...defined({ source }) }, invocation.io.signal);
  if (hasFlag(invocation, "csv")) await out.raw(insightsCsv(report));
  else {
    out.document(snakeCase(insightsJson(report)) as Record<string, unknown>);
    out.line(insightsText(report, { form: "full" }));
  }
  return 0;
}
