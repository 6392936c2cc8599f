import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import type { OpenAgent } from "./agent-handle.ts";
import type { CommandView } from "./api.ts";
import type { PluginCommand, SlashCommand } from "./commands/command.ts";
import type { SkillUseFigures } from "./insights.ts";
import type { SessionSettings } from "./settings.ts";

/** What the service is built from. Everything optional makes one command or file less, nothing else. */
export interface SessionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openAgent: OpenAgent;
  readonly settings: SessionSettings;
  /** Session logs, snapshots and log files are below it; without a home none of them is written. */
  readonly home?: HermesHome;
  /** Takes secrets out of text that leaves the session: exports, debug reports, output of quick commands. */
  redact?(text: string): string;
  /** The whole environment of quick commands. */
  readonly env?: NodeJS.ProcessEnv;
  /** Commands of other subsystems (scheduler, voice, browser …), offered like the ones here. */
  readonly commands?: readonly SlashCommand[];
  pluginCommands?(): readonly PluginCommand[];
  readonly preferences?: Preferences;
  plugins?(): readonly { readonly name: string; readonly version: string; readonly state: string }[];
  /** `/skills search|browse|inspect|install …`. */
  skillHub?(words: readonly string[], signal: AbortSignal): Promise<CommandView>;
  skillUse?(): Promise<readonly SkillUseFigures[]>;
  /** Facts for `/debug`: versions, machine, settings; no secrets. */
  debugFacts?(): Promise<readonly string[]>;
}

/** The saved settings, as far as commands show and change them. */
export interface Preferences {
  readonly profile: string;
  readonly homePath: string;
  /** Settings that differ from their defaults, secrets masked. */
  describe(): Promise<readonly (readonly [key: string, value: string])[]>;
  save(key: string, value: string | boolean): Promise<void>;
  /** Reads keys and settings again; a sentence for the person. */
  reload(signal: AbortSignal): Promise<string>;
}
