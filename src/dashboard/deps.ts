import type { LoadedConfig } from "#config";
import type { CronJobs } from "#cron";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import type { SessionService } from "#session";
import type { Store } from "#store";
import type { Abilities } from "./abilities.ts";
import type { DashboardAddress } from "./access/address.ts";
import type { GatewayProcess } from "./gateway-facts.ts";
import type { KeyFacts } from "./key-facts.ts";
import type { MemoryNotes } from "./memory-notes.ts";
import type { PluginTab } from "./plugin-tabs.ts";

/** What the dashboard shows and works with. */
export interface DashboardDeps {
  readonly address: DashboardAddress;
  /** The folder with the built page. */
  readonly pageFolder: string;
  readonly version: string;
  readonly home: HermesHome;
  readonly env: NodeJS.ProcessEnv;
  readonly sessions: SessionService;
  readonly store: Store;
  readonly jobs: CronJobs;
  readonly memory: MemoryNotes;
  readonly abilities: Abilities;
  /** The credentials Hermes knows, in the order they are shown. */
  keys(): readonly KeyFacts[];
  /** The processes of the gateway that run now. */
  gateway(): Promise<readonly GatewayProcess[]>;
  /** The tabs of plugins. */
  tabs(): readonly PluginTab[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where commands of new conversations run. */
  readonly cwd: string;
  /** The program that is Hermes in a terminal, with its first arguments. */
  readonly terminalProgram: readonly string[];
  /** The settings as they are written now. */
  loadSettings(): Promise<LoadedConfig>;
  /** Takes secrets out of text that leaves the program. */
  redact(text: string): string;
  /** Called once, when requests are answered; the fragment carries the token, where there is no password. */
  onReady(url: string): void;
}
