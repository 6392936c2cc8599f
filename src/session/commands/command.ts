import type { ApprovalChoice, Message, UserMessage } from "#conversation";
import type { TitleOutcome } from "#store";
import type { AgentHandle } from "../agent-handle.ts";
import type { CommandView, OpenWish, SessionInfo, Submission, UserInput } from "../api.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { BusyMode } from "../settings.ts";
import type { CommandCatalog } from "./catalog.ts";

export const commandCategories = ["Session", "Configuration", "Tools & Skills", "Info", "Exit"] as const;
export type CommandCategory = (typeof commandCategories)[number];

/** Where a line was typed: at a terminal or editor, or in a chat. */
export type CommandSurface = "cli" | "gateway";

/** During a turn a command runs at once, is refused with a notice, or is done when the turn is over. */
export type WhileRunning = "now" | "busy" | "next";

/** A slash command as data; help, completion, menus and dispatch are all derived from the one list of these. */
export interface SlashCommand {
  /** Lower case, without the slash. */
  readonly name: string;
  readonly description: string;
  readonly category: CommandCategory;
  readonly aliases?: readonly string[];
  readonly argsHint?: string;
  readonly subcommands?: readonly string[];
  readonly cliOnly?: boolean;
  readonly gatewayOnly?: boolean;
  /** Offered in chats only while this setting is on. */
  readonly gatewayConfigGate?: string;
  readonly whileRunning: WhileRunning;
  /** Where the answer depends on what follows the name, or on where it was typed. */
  whileRunningFor?(words: readonly string[], surface: CommandSurface): WhileRunning;
  /** Not offered when this says so, for example because the model cannot do it. */
  isHidden?(session: SessionControl): boolean;
  /** What may follow, for completion. */
  complete?(context: CommandContext): Promise<readonly string[]>;
  run(context: CommandContext): Promise<CommandView>;
}

/** A command a plugin brought. Its errors are shown, never thrown. */
export interface PluginCommand {
  readonly name: string;
  readonly description: string;
  readonly argsHint?: string;
  /** Run for this session: what the plugin starts belongs to it. */
  handler(args: string, sessionKey: string): string | null | Promise<string | null>;
}

export interface CommandContext {
  /** What followed the name, trimmed, in its own case. */
  readonly args: string;
  readonly words: readonly string[];
  readonly surface: CommandSurface;
  readonly session: SessionControl;
  readonly deps: SessionDeps;
  readonly catalog: CommandCatalog;
  readonly signal: AbortSignal;
}

export interface BackgroundRun {
  readonly id: string;
  readonly prompt: string;
  readonly startedAtMs: number;
}

/** What a command may do to the session it was typed in. */
export interface SessionControl {
  readonly info: SessionInfo;
  readonly history: readonly Message[];
  readonly wish: OpenWish;
  readonly handle: AgentHandle;
  readonly busyMode: BusyMode;
  setBusyMode(mode: BusyMode): void;
  /** A line as if it had been typed: a command or words. */
  submit(input: UserInput): Promise<Submission>;
  /** Words for the model, as if they had been typed; `sent` goes out instead of the text, which is stored. */
  say(words: { readonly text: string; readonly sent?: string }): Promise<Submission>;
  /** Goes on with a turn that broke off; undefined when the last one is finished. */
  continueTurn(): Submission | undefined;
  /** Stops the running turn and waits until it has ended. */
  stopTurn(): Promise<void>;
  /** Ends this conversation and begins an empty one in its place. */
  startNew(reason: string): Promise<void>;
  /** Takes the last message of the person and everything after it back; gives that message. */
  dropLastExchange(): Promise<UserMessage | undefined>;
  setTitle(title: string): Promise<{ readonly outcome: TitleOutcome; readonly isPending: boolean }>;
  enqueue(text: string): Promise<Submission>;
  guide(text: string): Promise<Submission>;
  /** Sends messages that wait from an earlier run; how many. */
  releaseHeld(): number;
  startBackground(prompt: string): string;
  backgroundRuns(): readonly BackgroundRun[];
  /** Child agents of the running turn: what they do. */
  childTasks(): readonly { readonly id: string; readonly task: string }[];
  /** Answers the approval that is open; false when none is. */
  approveOpen(choice: ApprovalChoice): boolean;
}
