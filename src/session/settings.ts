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

/** What a session reads afresh each time it needs it, so that a changed setting counts at once. */
export interface SessionSettings {
  readonly busyMode: BusyMode;
  readonly approvalTimeoutMs: number;
  readonly questionTimeoutMs: number;
  readonly sudoTimeoutMs: number;
  readonly secretTimeoutMs: number;
  readonly quickCommandTimeoutMs: number;
  readonly quickCommands: Readonly<Record<string, QuickCommandSetting>>;
  /** Titles are suggested after the first exchange. */
  readonly suggestsTitles: boolean;
  /** A JSON copy of every session beside the database. */
  readonly writesSessionLog: boolean;
  readonly showsCost: boolean;
  readonly toolProgress: "off" | "new" | "all" | "verbose";
  /** `/verbose` is offered in chats. */
  readonly allowsVerboseInChats: boolean;
  readonly allowsYoloInChats: boolean;
  /** Hints that were shown before (`onboarding.seen`). */
  readonly seenHints: readonly string[];
  /** Old, ended sessions are removed by themselves; absent keeps them. */
  readonly autoPrune?: {
    readonly retentionDays: number;
    readonly minIntervalHours: number;
    readonly compactAfter: boolean;
  };
  readonly skins: readonly string[];
  readonly personalities: readonly string[];
}

export const defaultSessionSettings: SessionSettings = {
  busyMode: "interrupt",
  approvalTimeoutMs: 60_000,
  questionTimeoutMs: 120_000,
  sudoTimeoutMs: 45_000,
  secretTimeoutMs: 120_000,
  quickCommandTimeoutMs: 30_000,
  quickCommands: {},
  suggestsTitles: true,
  writesSessionLog: true,
  showsCost: false,
  toolProgress: "all",
  allowsVerboseInChats: false,
  allowsYoloInChats: true,
  seenHints: [],
  skins: ["default", "ares", "mono", "slate", "daylight", "warm-lightmode", "poseidon", "sisyphus", "charizard"],
  personalities: [],
};
