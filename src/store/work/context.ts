import type { Clock } from "#foundation/clock";
import type { Logger } from "#foundation/logger";
import type { Database } from "../database.ts";

/** What a piece of heavy work is given, on whichever thread it runs. */
export interface WorkContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}
