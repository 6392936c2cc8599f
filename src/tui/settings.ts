export type ToolProgress = "off" | "new" | "all" | "verbose";
export type DetailMode = "hidden" | "collapsed" | "expanded";
export type MarkdownMode = "render" | "strip" | "raw";

export interface Details {
  readonly thinking: DetailMode;
  readonly tools: DetailMode;
  readonly subagents: DetailMode;
  readonly activity: DetailMode;
}

/** What the person set about the display; read from the configuration by whoever starts the terminal. */
export interface TuiSettings {
  readonly skin: string;
  /** Shown before the prompt symbol; undefined for the usual profile. */
  readonly profile?: string;
  /** How this program is called in a shell. */
  readonly program: string;
  readonly isCompact: boolean;
  readonly toolProgress: ToolProgress;
  /** Most characters of a call's detail; 0 shows all of it. */
  readonly toolPreviewLength: number;
  readonly showReasoning: boolean;
  readonly showCost: boolean;
  readonly showStatusBar: boolean;
  readonly markdown: MarkdownMode;
  readonly streaming: boolean;
  readonly bellOnComplete: boolean;
  readonly inlineDiffs: boolean;
  readonly resumeDisplay: "full" | "minimal";
  readonly busyInputMode: "interrupt" | "queue" | "steer";
  readonly details: Details;
  readonly userPreview: { readonly firstLines: number; readonly lastLines: number };
  readonly altScreen: boolean;
  /** The line is edited with the keys of vi. */
  readonly isVim: boolean;
  readonly approvalTimeoutMs: number;
  readonly clarifyTimeoutMs: number;
  readonly sudoTimeoutMs: number;
  readonly secretTimeoutMs: number;
  /** Key that starts and stops recording, when there is a microphone. */
  readonly recordKey: string;
  /** Hints that were shown in earlier sessions. */
  readonly seenHints: readonly string[];
  /** Emojis tools were registered with. */
  readonly toolEmojis: Readonly<Record<string, string>>;
}

export const defaultTuiSettings: TuiSettings = {
  skin: "default",
  program: "hermes",
  isCompact: false,
  toolProgress: "all",
  toolPreviewLength: 0,
  showReasoning: false,
  showCost: false,
  showStatusBar: true,
  markdown: "render",
  streaming: true,
  bellOnComplete: false,
  inlineDiffs: true,
  resumeDisplay: "full",
  busyInputMode: "interrupt",
  details: { thinking: "expanded", tools: "expanded", subagents: "collapsed", activity: "hidden" },
  userPreview: { firstLines: 2, lastLines: 2 },
  altScreen: false,
  isVim: false,
  approvalTimeoutMs: 60_000,
  clarifyTimeoutMs: 120_000,
  sudoTimeoutMs: 45_000,
  secretTimeoutMs: 120_000,
  recordKey: "ctrl+b",
  seenHints: [],
  toolEmojis: {},
};
