import type { ChildTable } from "#agent";
import type { LoadedConfig } from "#config";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import type { AccountGate, Models, RateLimitBook, Target } from "#model";
import type { Plugins } from "#plugins";
import type { Store } from "#store";
import type { SurfaceTools, Toolbox } from "#tools";
import type { Books } from "../books.ts";
import type { Skills } from "./open-skills.ts";

/** What all sessions of a process share. */
export interface SharedParts {
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly userHome: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Store;
  readonly models: Models;
  readonly toolbox: Toolbox;
  readonly plugins: Plugins;
  readonly skills: Skills;
  readonly children: ChildTable;
  readonly accountGate: AccountGate;
  /** What providers last said about how much may still be asked. */
  readonly rateLimits: RateLimitBook;
  readonly books: Books;
  /** Which tools each surface has, and what changes that. */
  readonly surfaceTools: SurfaceTools;
  saveModel(target: Target): Promise<void>;
}
