import { scanThreats } from "#agent";
import type { Machine } from "#config";
import { CronJobs } from "#cron";
import type { Store } from "#store";

/** The jobs of a home, as its owner has them. */
export function openJobs({ home, clock, loaded }: Pick<Machine, "home" | "clock" | "loaded">, store: Store): CronJobs {
  return new CronJobs({
    store,
    home,
    clock,
    timeZone: loaded.config.timezone,
    provider: loaded.config.model.provider,
    threatsIn: (text) => scanThreats(text, "memory"),
  });
}
