import { collectInsights } from "../insights.ts";
import { insightsText } from "../insights-text.ts";
import type { SlashCommand } from "./command.ts";
import { say, warn } from "./views.ts";

export const insightsCommand: SlashCommand = {
  name: "insights",
  description: "Show how Hermes was used in the last days",
  category: "Info",
  argsHint: "[days]",
  whileRunning: "now",
  async run({ deps, args, surface, signal }) {
    const days = args === "" ? 30 : Number(args);
    if (!Number.isInteger(days) || days < 1 || days > 3_650) return warn("/insights, or /insights 7 for a week");
    const skills = (await deps.skillUse?.()) ?? [];
    const report = await collectInsights(deps.store, { days, nowMs: deps.clock.now(), skills }, signal);
    return say(insightsText(report, { form: surface === "gateway" ? "short" : "full" }));
  },
};
