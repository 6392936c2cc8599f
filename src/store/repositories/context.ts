import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import type { Database } from "../database.ts";
import type { Sealer } from "../sealer.ts";
import type { HintWriter } from "../signals.ts";
import type { HeavyWork } from "../work/heavy-work.ts";

/** What every repository is given. */
export interface RepositoryContext {
  readonly db: Database;
  readonly heavy: HeavyWork;
  readonly clock: Clock;
  readonly log: Logger;
  readonly hints: HintWriter;
  /** Encrypts what waits to be answered and to be sent; it is written as it is when absent. */
  readonly sealer?: Sealer | undefined;
  /** Hears how many messages were added, after they were. */
  readonly onAppended?: ((count: number) => void) | undefined;
  /** Hears of every search, after it. */
  readonly onSearched?: (() => void) | undefined;
}
