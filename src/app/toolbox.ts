import type { ContextEngine } from "#agent";
import type { Redactor } from "#foundation/secrets/redact";
import type { Hooks, PluginCommand, TerminalPart } from "#plugins";
import type { PluginSkillPlace } from "#skills";
import type {
  CallObserver,
  Checkpoints,
  Listing,
  ListingWish,
  ProcessTable,
  ResultFiles,
  Tool,
  ToolRegistry,
  YoloSwitch,
} from "#tools";

/** Whose calls are watched. Without a key and a surface the record of calls names none. */
export interface ObservedTurn {
  readonly taskId: string;
  readonly sessionId: string;
  readonly sessionKey?: string;
  readonly surface?: string;
  readonly signal: AbortSignal;
}

/** What became of a command a person typed. */
export type PersonRun =
  | { readonly kind: "ended"; readonly output: string; readonly exitCode: number }
  | { readonly kind: "stopped"; readonly output: string; readonly why: string }
  | { readonly kind: "refused"; readonly why: string };

/** Everything that acts on this machine, wired from the configuration; disposed in reverse. */
export interface Toolbox extends AsyncDisposable {
  readonly registry: ToolRegistry;
  readonly redactor: Redactor;
  redact(text: string): string;
  /** The tools of a session. Waits for MCP servers no longer than their limit. */
  list(wish: ListingWish, signal: AbortSignal): Promise<Listing>;
  /** Where long results of a task are kept. */
  files(taskId: string): ResultFiles;
  /** Hooks of plugins and the audit, for the calls of one turn. */
  observers(turn: ObservedTurn): readonly CallObserver[];
  readonly hooks: Hooks;
  readonly yolo: YoloSwitch;
  readonly checkpoints: Checkpoints;
  readonly processes: ProcessTable;
  /** Ends what one task holds: terminal, browser, read history. */
  release(taskId: string): Promise<void>;
  /** A session ended or was reset: its approvals, its yolo and its password for sudo are forgotten. */
  endSession(sessionKey: string): void;
  /** The context lost what was shown (compression): files must be shown again when they are read. */
  forgetShown(taskId: string): void;
  /** A command a person typed: run as those of the agent are, without asking for what was just typed. */
  runForPerson(command: string, who: { readonly sessionKey: string }, signal: AbortSignal): Promise<PersonRun>;
  readonly mcp: {
    ready(signal: AbortSignal): Promise<void>;
    /** Between turns: takes over changed lists where the configuration says so. How often anything changed so far. */
    refresh(signal: AbortSignal): Promise<number>;
    /** Reads the configuration again and restarts what changed; a line for the person. */
    reload(signal: AbortSignal): Promise<string>;
    status(): readonly { readonly name: string; readonly state: string; readonly tools: number }[];
  };
  readonly plugins: {
    commands(): readonly PluginCommand[];
    skills(): readonly PluginSkillPlace[];
    memoryProviders(): readonly unknown[];
    contextEngines(): readonly ContextEngine[];
    /** What plugins bring for the terminal; imported at the call, which only a terminal makes. */
    terminalParts(): Promise<readonly TerminalPart[]>;
  };
  register(tool: Tool): Disposable;
}
