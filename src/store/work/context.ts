import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Database } from "../database.ts";

/** What a piece of heavy work is given, on whichever thread it runs. */
export interface WorkContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}
