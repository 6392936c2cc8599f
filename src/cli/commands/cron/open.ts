import type { CronJobs } from "#cron";
import { systemClock as clock } from "#foundation/time/clock";
import type { Invocation } from "../../command.ts";
import { loadSettings } from "../../support/settings.ts";
import { openOrCreateStore } from "../../support/store.ts";

/** The jobs of the home, for as long as the work takes. */
export async function withJobs<T>(invocation: Invocation, work: (jobs: CronJobs) => Promise<T>): Promise<T> {
  const { home, loaded } = await loadSettings(invocation);
  const { openJobs } = await import("#app");
  await using store = await openOrCreateStore(invocation);
  return await work(openJobs({ home, loaded, clock }, store));
}
