import type { ApprovalAnswer, ApprovalChoice, ApprovalScopes } from "#conversation";
import type { ToolTask } from "./session-scope.ts";

/** One reason why a call needs permission. */
export interface Finding {
  /** Stable key that grants are stored under, for example `recursive delete`. */
  readonly key: string;
  readonly description: string;
  readonly severity: "ask" | "block";
  /** Where it came from: `pattern`, `structure`, `scanner`, `path`, `policy`, `rule`. */
  readonly source: string;
  /** It needs something the wall keeps from programs: once approved, it runs outside. */
  readonly leavesWall?: boolean | undefined;
  /** A yes is for exactly this text in this folder, never for everything with the same key. */
  readonly isExact?: boolean | undefined;
}

export interface ApprovalRequest {
  readonly id: string;
  /** The call that asks. */
  readonly callId?: string | undefined;
  readonly tool: string;
  /** What will happen, whole: the full command, the full path. */
  readonly summary: string;
  readonly findings: readonly Finding[];
  readonly choices: readonly ApprovalChoice[];
  /** What each choice would allow, for the person. */
  readonly scopes?: ApprovalScopes | undefined;
  /** Lines of the summary (the first is 0) that the findings are about, where it has several. */
  readonly lines?: readonly number[] | undefined;
  readonly isDestructive: boolean;
  readonly sessionKey: string;
  readonly taskId: string;
}

/** Asks whoever may decide, and knows how long they have. Answers `deny` when nobody can be asked, time runs out, or the signal fires. */
export interface Approver {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** False where nobody can be asked, so that a denial does not look like somebody's answer. Absent: somebody can. */
  canAsk?(about: Pick<ApprovalRequest, "sessionKey" | "taskId">): boolean;
}

export type GateVerdict =
  | {
      readonly kind: "run";
      readonly note?: string;
      /** Somebody who may decide agreed to what the wall would have kept back. */
      readonly isUnconfined?: boolean | undefined;
    }
  | {
      readonly kind: "blocked";
      /** For the model: what is off, and that trying again is no use; never how the gate could be opened. */
      readonly reason: string;
      /** For people: the setting that decided, where there is one. */
      readonly hint?: string;
      readonly isHardline: boolean;
      readonly findings: readonly Finding[];
    };

export interface GateContext extends ToolTask {
  readonly tool: string;
  /** The call that asks, so that records can be joined. */
  readonly callId?: string | undefined;
  /** Absolute, in the terminal where the command would run. */
  readonly cwd: string;
  readonly terminalKind: string;
  /** The running program whose input is judged; undefined when the text is a command of its own. */
  readonly inputOf?: string | undefined;
  /** Why the model wants the command to run outside the wall. */
  readonly outside?: { readonly reason: string } | undefined;
  /** The file that is judged, real and absolute. */
  readonly path?: { readonly real: string; readonly use: "read" | "write" } | undefined;
  /** Where the tool comes from an MCP server. */
  readonly mcp?: { readonly server: string } | undefined;
  readonly signal: AbortSignal;
  /** Sign of life while somebody is being asked. */
  progress?(text: string): void;
}

/** The one gate that commands, credential reads and risky service calls pass. */
export interface ApprovalGate {
  checkCommand(command: string, context: GateContext): Promise<GateVerdict>;
  /** For findings a tool made itself (reading a credential file, unlocking a door). */
  checkFindings(summary: string, findings: readonly Finding[], context: GateContext): Promise<GateVerdict>;
}
