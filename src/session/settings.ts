import type { Config } from "#config";

/** A message during a turn stops it, waits for its end, or is handed into it. */
export type BusyMode = "interrupt" | "queue" | "steer";

export const busyModes: readonly BusyMode[] = ["interrupt", "queue", "steer"];

/** A command of the person's own, as the settings hold it; a plain string sends that text. */
export type QuickCommandSetting =
  | string
  | {
      readonly type?: "exec" | "alias" | "prompt";
      readonly command?: string | undefined;
      readonly target?: string | undefined;
      readonly text?: string | undefined;
      readonly description?: string | undefined;
    };

/** How long somebody has to answer. */
export interface AnswerTimes {
  readonly approvalMs: number;
  readonly questionMs: number;
}

/** What a session reads afresh each time it needs it, so that a changed setting counts at once. */
export interface SessionSettings {
  readonly busyMode: BusyMode;
  /** At the machine itself, and where a question is sent to somebody: a chat, an editor far away, another program. */
  readonly answerTimes: { readonly here: AnswerTimes; readonly elsewhere: AnswerTimes };
  readonly sudoTimeoutMs: number;
  readonly secretTimeoutMs: number;
  readonly quickCommandTimeoutMs: number;
  readonly quickCommands: Readonly<Record<string, QuickCommandSetting>>;
  /** Titles are suggested after the first exchange. */
  readonly suggestsTitles: boolean;
  /** A JSON copy of every session beside the database. */
  readonly writesSessionLog: boolean;
  readonly toolProgress: "off" | "new" | "all" | "verbose";
  /** `/verbose` is offered in chats. */
  readonly allowsVerboseInChats: boolean;
  readonly allowsYoloInChats: boolean;
  /** IANA name for days and hours in reports; empty is the machine's own. */
  readonly timeZone: string;
  /** Hints that were shown before (`onboarding.seen`). */
  readonly seenHints: readonly string[];
  /** Old, ended sessions are removed by themselves; absent keeps them. */
  readonly autoPrune?: {
    readonly retentionDays: number;
    readonly minIntervalHours: number;
    readonly compactAfter: boolean;
  };
  /** Sessions nobody has borrowed stay open for so long, and so many of them. */
  readonly idleCloseMs: number;
  readonly maxIdle: number;
  readonly skins: readonly string[];
  readonly personalities: readonly string[];
}

/** The skins that come with Hermes; the terminal draws them. */
export const builtInSkinNames: readonly string[] =
  "default ares mono slate daylight warm-lightmode poseidon sisyphus charizard high-contrast colour-blind".split(" ");

export const defaultSessionSettings: SessionSettings = {
  busyMode: "interrupt",
  answerTimes: {
    here: { approvalMs: 60_000, questionMs: 120_000 },
    elsewhere: { approvalMs: 300_000, questionMs: 600_000 },
  },
  sudoTimeoutMs: 45_000,
  secretTimeoutMs: 120_000,
  quickCommandTimeoutMs: 30_000,
  quickCommands: {},
  suggestsTitles: true,
  writesSessionLog: true,
  toolProgress: "all",
  allowsVerboseInChats: false,
  allowsYoloInChats: true,
  timeZone: "",
  seenHints: [],
  idleCloseMs: 3_600_000,
  maxIdle: 128,
  skins: builtInSkinNames,
  personalities: [],
};

/** The settings of sessions, read once when the program opens. */
export function sessionSettings(config: Config): SessionSettings {
  const { display, approvals, clarify, sessions } = config;
  return {
    ...defaultSessionSettings,
    busyMode: display.busy_input_mode,
    answerTimes: {
      here: { approvalMs: approvals.timeout * 1000, questionMs: clarify.timeout * 1000 },
      elsewhere: { approvalMs: approvals.gateway_timeout * 1000, questionMs: clarify.gateway_timeout * 1000 },
    },
    quickCommands: config.quick_commands,
    timeZone: config.timezone,
    toolProgress: display.tool_progress,
    allowsVerboseInChats: display.tool_progress_command,
    allowsYoloInChats: approvals.allow_yolo,
    seenHints: Object.keys(config.onboarding.seen),
    ...(sessions.auto_prune
      ? {
          autoPrune: {
            retentionDays: sessions.retention_days,
            minIntervalHours: sessions.min_interval_hours,
            compactAfter: sessions.vacuum_after_prune,
          },
        }
      : {}),
    idleCloseMs: sessions.idle_close_minutes * 60_000,
    maxIdle: Math.min(sessions.max_idle, config.gateway.limits.agent_cache),
    personalities: [...Object.keys(config.agent.personalities), ...Object.keys(config.personalities)],
  };
}
