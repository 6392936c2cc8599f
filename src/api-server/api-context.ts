import type { CronJobs, Deliverer } from "#cron";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import type { Callers } from "./callers.ts";
import type { Idempotency } from "./idempotency.ts";
import type { ApiSettings } from "./settings.ts";
import type { ApiTurns } from "./turns.ts";

/** What the routes work with. */
export interface ApiContext {
  readonly settings: ApiSettings;
  readonly store: Store;
  readonly jobs: CronJobs;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly callers: Callers;
  readonly turns: ApiTurns;
  readonly idempotency: Idempotency;
  readonly keepAliveMs: number;
  /** Where answers go that come when nobody waits any more; absent where no gateway runs. */
  readonly deliverer?: Deliverer | undefined;
  /** How the process is, beyond this server. */
  status(): Promise<Readonly<Record<string, unknown>>>;
  /** Takes secrets out of text that leaves the program. */
  redact(text: string): string;
}
