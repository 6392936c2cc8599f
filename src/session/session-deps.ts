import type { AgentRecords } from "#agent";
import type { Logger } from "#foundation/files/logger";
import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import type { PluginCommand } from "./plugin-command.ts";
import type { SkillUseFigures } from "./reports/insights.ts";
import type { Preferences } from "./services/preferences.ts";
import type { OpenAgent } from "./services/session-agent.ts";
import type { SessionSettings } from "./settings.ts";
import type { SpanSink } from "./traces/span.ts";

/** Which conversation an event of its life is about. */
export interface EndedSession {
  /** Names what belongs to the session. */
  readonly key: string;
  readonly sessionId: string;
  readonly source: string;
}

/** For whom jobs are shown and made. */
export interface CronCaller {
  readonly sessionId: string;
  /** Undefined: the owner of the home. */
  readonly userId: string | undefined;
}

/** What the service is built from: what all sessions of a process share. */
export interface SessionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openAgent: OpenAgent;
  /** Where agents write beside their transcripts, for a session with a store of its own. */
  readonly records?: AgentRecords | undefined;
  readonly settings: SessionSettings;
  /** Session logs, snapshots and log files are below it. */
  readonly home: HermesHome;
  /** Of the program, for reports. */
  readonly version: string;
  /** The whole environment of quick commands. */
  env(): NodeJS.ProcessEnv;
  readonly preferences: Preferences;
  /** Takes secrets out of text that leaves the session: debug reports, output of quick commands. */
  redact(text: string): string;
  /** Takes known secret values out of what a person writes, before anything of it is kept or sent. */
  redactKnown(text: string): string;
  /** Where traces go; absent where nobody wants them. */
  readonly traces?: SpanSink | undefined;
  pluginCommands(): readonly PluginCommand[];
  /** Plugins hear that a conversation is over, or that another has taken its place. */
  notifyPlugins(event: "on_session_finalize" | "on_session_reset", session: EndedSession): Promise<void>;
  plugins(): readonly { readonly name: string; readonly version: string; readonly state: string }[];
  skillUse(): Promise<readonly SkillUseFigures[]>;
  /** Answers a line of `/cron`, for the person and the chat this session belongs to. */
  answerCron(line: string, session: CronCaller): Promise<string>;
}
