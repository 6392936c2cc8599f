import type { Redactor } from "#foundation/secrets/redact";
import type { YoloSwitch } from "../approval/modes.ts";
import type { ListedRule } from "../approval/permissions/permissions.ts";
import type { PermissionEffect } from "../approval/permissions/rule.ts";
import type { PlanMode } from "../approval/plan-mode.ts";
import type { ToolSession } from "../call/open-sessions.ts";
import type { WallLine } from "../confinement/self-test/self-test.ts";
import type { SessionWall } from "../confinement/wall.ts";
import type { CallObserver } from "../contract/call-state.ts";
import type { ToolContext } from "../contract/context.ts";
import type { ResultFiles } from "../contract/output-limit.ts";
import type { SessionScope, ToolTask } from "../contract/session-scope.ts";
import type { Terminal } from "../contract/terminal.ts";
import type { Tool } from "../contract/tool.ts";
import type { ObservedTurn } from "../contract/tool-extensions.ts";
import type { WorkspaceSnapshots } from "../files/snapshots/workspace-snapshots.ts";
import type { SpokenWords, WordsToSay } from "../media/speech/say-aloud.ts";
import type { Listing, ListingOptions } from "../registry/listing.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import type { ProcessTable } from "../terminals/processes/process-table.ts";
import type { UnclaimedReports } from "../terminals/processes/unclaimed-reports.ts";
import type { SessionVariables } from "../terminals/session-variables.ts";
import type { ManagedService } from "./managed-services.ts";
import type { MoreDoors } from "./self-test/wall-doors.ts";

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
  /**
   * Opens a session for its tools. Disposing it leaves nothing of it: terminals, processes, browsers, grants, yolo,
   * passwords, variables, and MCP servers of its own.
   */
  openSession(session: ToolSession): AsyncDisposable;
  /** The tools of a session. Waits for MCP servers no longer than their limit. */
  list(options: ListingOptions, scope: SessionScope, signal: AbortSignal): Promise<Listing>;
  /** Where long results of a task are kept. */
  files(task: ToolTask): ResultFiles;
  /** Hooks of plugins and the audit, for the calls of one turn. */
  observers(turn: ObservedTurn): readonly CallObserver[];
  readonly yolo: YoloSwitch;
  /** Sessions that may change nothing until a plan is accepted. */
  readonly plan: Pick<PlanMode, "isOn" | "set">;
  /** The rules of the person, as they count in a session. */
  readonly permissions: {
    list(scope: SessionScope): Promise<readonly ListedRule[]>;
    /** A rule for this session; a text says why it is none. */
    add(scope: SessionScope, effect: PermissionEffect, text: string): Promise<string | undefined>;
    /** False when the session has no such rule of its own. */
    remove(scope: SessionScope, text: string): Promise<boolean>;
  };
  readonly snapshots: WorkspaceSnapshots;
  readonly processes: ProcessTable;
  /** What background processes report to sessions that are not open. */
  readonly unclaimed: UnclaimedReports;
  /** The terminal of a task, made at first use: for reward functions, which look at what a model left behind. */
  terminal(task: ToolTask, signal: AbortSignal): Promise<Terminal>;
  /** Ends what one task holds: terminal, browser, read history. */
  release(taskId: string): Promise<void>;
  /** A turn is over: a terminal that keeps nothing between turns is closed. */
  endTurn(taskId: string): Promise<void>;
  /** The turn of a session has done its work: what changes files from now on is not its doing. */
  settleFiles(sessionKey: string): Promise<void>;
  /** The context lost what was shown (compression): files must be shown again when they are read. */
  forgetShown(taskId: string): void;
  /** Files that this task has read and another one has written since. */
  changedByOthers(taskId: string): readonly string[];
  /** Words of a session were taken back, and with them what its tools had shown: nothing counts as read. */
  takenBack(sessionKey: string): void;
  /** A command a person typed: run as those of the agent are, without asking for what was just typed. */
  runForPerson(command: string, sessionKey: string, signal: AbortSignal): Promise<PersonRun>;
  /**
   * A `data:` image within so many bytes, or undefined when that cannot be done here. It goes through the browser of
   * this machine; other addresses are not fetched.
   */
  shrinkImage(url: string, maxBytes: number, signal: AbortSignal): Promise<string | undefined>;
  /** Says text with the configured voice, into a file. */
  sayAloud(words: WordsToSay, signal: AbortSignal): Promise<SpokenWords>;
  /** What the subscription can pay for, and whether it does. */
  managedServices(signal: AbortSignal): Promise<readonly ManagedService[]>;
  /** Tries what the wall of a session in this folder would promise, for real; `more` are doors beside the tools. */
  testWall(folder: string, more: MoreDoors, signal: AbortSignal): Promise<readonly WallLine[]>;
  /** What holds whatever runs for a session inside, and says what it may read. */
  wall(scope: SessionScope, signal: AbortSignal): Promise<SessionWall>;
  /** Variables that only commands of one session see. */
  readonly variables: SessionVariables;
  readonly mcp: {
    ready(scope: SessionScope, signal: AbortSignal): Promise<void>;
    /** How often anything changed so far. */
    changes(): number;
    /** Whether lists changed that may be taken over between turns, as the configuration says. */
    hasNews(scope: SessionScope): boolean;
    /** Takes them over. */
    letIn(scope: SessionScope, signal: AbortSignal): Promise<void>;
    /** Reads the configuration again and restarts what changed; a line for the person. */
    reload(scope: SessionScope, signal: AbortSignal): Promise<string>;
    status(): readonly {
      readonly name: string;
      readonly state: string;
      readonly tools: number;
      /** Tools that are not what they were, and off until the person agrees. */
      readonly changed: number;
    }[];
  };
  /** Runs a call of a script or a plugin as one of the model: with coercion, hooks, approval and limits. */
  callTool(
    call: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
    context: Omit<ToolContext, "agent">,
  ): Promise<string>;
  /** Sees to it that a process ends with this program. */
  adoptProcess(pid: number): Disposable;
  register(tool: Tool): Disposable;
}
