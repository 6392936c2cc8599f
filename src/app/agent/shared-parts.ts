import type { ChildTable, ReferenceDeps } from "#agent";
import type { LoadedConfig } from "#config";
import type { SessionId } from "#conversation";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import type { AccountGate, Auxiliary, RateLimitBook, Target } from "#model";
import type { Store } from "#store";
import type { Auxiliary as ToolAuxiliary } from "#tools";
import type { Books } from "../books.ts";
import type { SurfaceRouter } from "../surface-router.ts";
import type { SurfaceTools } from "../surface-tools.ts";
import type { Toolbox } from "../toolbox.ts";
import type { Models } from "../wire-model.ts";
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
  readonly skills: Skills;
  readonly children: ChildTable;
  readonly surfaces: SurfaceRouter;
  readonly accountGate: AccountGate;
  /** What providers last said about how much may still be asked. */
  readonly rateLimits: RateLimitBook;
  readonly books: Books;
  /** Side calls in the form tools know them. */
  readonly lookAt: ToolAuxiliary;
  /** What a session is about to talk to; tools find out with it whether they can be used. */
  useMain(main: () => Target | undefined): void;
  /** Small side calls of one session. */
  auxiliary(sessionId: SessionId, main: () => Target | undefined): Auxiliary;
  /** Which tools each surface has, and what changes that. */
  readonly surfaceTools: SurfaceTools;
  saveModel(target: Target): Promise<void>;
  fetchText: ReferenceDeps["fetchText"];
}
