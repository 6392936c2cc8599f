import { CronJobs } from "#cron";
import { systemClock } from "#foundation/time/clock";
import type { Invocation } from "../../command.ts";
import { loadSettings } from "../../support/settings.ts";
import { openOrCreateStore } from "../../support/store.ts";

/** The jobs of the home, for as long as the work takes. */
export async function withJobs<T>(invocation: Invocation, work: (jobs: CronJobs) => Promise<T>): Promise<T> {
  const { home, loaded } = await loadSettings(invocation);
  const { scanThreats } = await import("#agent");
  await using store = await openOrCreateStore(invocation);
  return await work(
    new CronJobs({
      store,
      home,
      clock: systemClock,
      timeZone: loaded.config.timezone,
      threatsIn: (text) => scanThreats(text, "memory"),
    }),
  );
}
