import type { MessageId, SessionId, TurnId } from "./ids.ts";
import type { AssistantMessage } from "./message.ts";
import type { ToolDetails } from "./tool-definition.ts";
import type { Cost, Usage } from "./usage.ts";

/** What a person may answer to an approval; the gate decides which of them it offers. */
export type ApprovalChoice = "once" | "folder" | "session" | "always" | "deny";

/** An answer: a choice, or a no with the words the model is told. */
export type ApprovalAnswer = ApprovalChoice | { readonly choice: "deny"; readonly reason: string };

/** What each answer would allow, in words for the person: how far it reaches is never left to a guess. */
export type ApprovalScopes = Readonly<Partial<Record<ApprovalChoice, string>>>;

/** A question of the program itself: its title, and the words of its answers. */
export interface ApprovalWording {
  readonly title: string;
  readonly answers: Readonly<Partial<Record<ApprovalChoice, string>>>;
}

export type NoticeLevel = "info" | "warn" | "error";

/** How a turn ended, in the words that are stored with the session. */
export type ExitReason =
  | "text_response"
  | "max_iterations_reached"
  | "interrupted_by_user"
  | "interrupted_during_api_call"
  | "interrupted_during_retry"
  | "length_truncated"
  | "truncated_tool_call"
  | "thinking_budget_exhausted"
  | "incomplete_reasoning"
  | "responses_incomplete"
  | "invalid_tool_calls"
  | "empty_response_exhausted"
  | "partial_stream_recovery"
  | "fallback_prior_turn_content"
  | "invalid_response"
  | "api_retries_exhausted"
  | "rate_limited"
  | "non_retryable_error"
  | "context_overflow"
  | "payload_too_large"
  | "budget_exceeded"
  | "loop_detected"
  | "internal_error";

/** How the work of a child agent ended. */
export type ChildStatus = "completed" | "failed" | "interrupted" | "timeout" | "error";

/** What places a child agent among its siblings, with every event of it. */
export interface ChildFacts {
  /** The child that started it; absent when the main agent did. */
  readonly parentId?: string;
  /** 1 for children of the main agent. */
  readonly depth: number;
  readonly taskIndex: number;
  readonly taskCount: number;
  readonly goal: string;
  readonly model: string;
  readonly toolsets: readonly string[];
  /** Nobody waits for it: it outlives the turn, and its report arrives later. */
  readonly isBackground?: boolean;
  /** Tool calls so far. */
  readonly toolCount: number;
}

/** The moments of a child that a surface draws differently from its ordinary events. */
export type ChildMilestone =
  | { readonly kind: "spawn-requested" }
  | { readonly kind: "start" }
  | { readonly kind: "progress"; readonly lastTools: readonly string[] }
  | {
      readonly kind: "complete";
      readonly status: ChildStatus;
      readonly summary: string;
      readonly tokens: { readonly input: number; readonly output: number };
      readonly cost?: Cost;
      readonly apiCalls: number;
      readonly durationMs: number;
      readonly filesRead: readonly string[];
      readonly filesWritten: readonly string[];
      /** What its last tool calls gave, shortened. */
      readonly outputs: readonly string[];
    };

/**
 * What one turn streams to whoever draws it. Facts, in order, of one producer; a surface renders
 * them and never calls back into the loop. Every `-start` has exactly one `-end`, also on failure,
 * and nothing follows `turn-end`.
 */
export type AgentEvent =
  | { readonly type: "turn-start"; readonly sessionId: SessionId; readonly turnId: TurnId }
  | { readonly type: "step-start"; readonly step: number; readonly limit: number }
  | { readonly type: "attempt-start"; readonly provider: string; readonly model: string }
  | { readonly type: "attempt-end" }
  | { readonly type: "text-delta"; readonly text: string }
  /** The visible text of this reply is complete (tools follow, or the turn ends). */
  | { readonly type: "text-end" }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | { readonly type: "tool-input-start"; readonly callId: string; readonly name: string }
  | { readonly type: "message-end"; readonly message: AssistantMessage; readonly wasStreamed: boolean }
  | {
      readonly type: "tool-start";
      readonly callId: string;
      readonly name: string;
      readonly args: unknown;
      readonly preview: string;
    }
  /** Whole lines are the latest output of a running command; a text without an end of line says what is going on. */
  | { readonly type: "tool-update"; readonly callId: string; readonly text: string }
  | {
      readonly type: "tool-end";
      readonly callId: string;
      readonly name: string;
      readonly isError: boolean;
      readonly durationMs: number;
      readonly preview: string;
      readonly diff?: string | undefined;
      /** What the call did, as facts: exit code, paths, task list. Tools of plugins and servers have none. */
      readonly details?: ToolDetails | undefined;
      /** The result as the model reads it, cut to what a screen can use; of long output the beginning and the end. */
      readonly result?: string;
    }
  | {
      readonly type: "approval-request";
      readonly id: string;
      /** The call that asks; absent where no call does, and of a child it is the child's. */
      readonly callId?: string | undefined;
      readonly tool: string;
      readonly summary: string;
      readonly reasons: readonly string[];
      readonly choices: readonly ApprovalChoice[];
      readonly scopes?: ApprovalScopes | undefined;
      /** Lines of the summary (the first is 0) that the reasons are about, where it has several. */
      readonly lines?: readonly number[] | undefined;
      readonly isDestructive: boolean;
      /** Where no call asks but the program itself: it waits, and says in its own words what is asked. */
      readonly wording?: ApprovalWording | undefined;
    }
  | { readonly type: "approval-response"; readonly id: string; readonly choice: ApprovalChoice }
  | {
      readonly type: "question-request";
      readonly id: string;
      readonly question: string;
      readonly choices: readonly string[];
    }
  | { readonly type: "question-response"; readonly id: string; readonly answer: string }
  | {
      readonly type: "recovery-start";
      readonly remedy: string;
      readonly problem: string;
      readonly waitMs: number;
      /** Whom the failed attempt was made to. */
      readonly provider?: string | undefined;
      /** Which attempt comes next, of how many; absent where they are not counted. */
      readonly attempt?: { readonly number: number; readonly of: number } | undefined;
    }
  | { readonly type: "compression-start"; readonly reason: string; readonly tokens: number }
  | { readonly type: "compression-end"; readonly tokensBefore: number; readonly tokensAfter: number }
  | {
      readonly type: "usage";
      readonly usage: Usage;
      readonly cost: Cost;
      readonly contextTokens: number;
      readonly contextWindow: number;
    }
  | { readonly type: "target-change"; readonly provider: string; readonly model: string; readonly reason: string }
  | { readonly type: "input-admitted"; readonly messageId: MessageId; readonly text: string }
  | {
      readonly type: "notice";
      readonly level: NoticeLevel;
      readonly text: string;
      /** It tells what was done beside the conversation, after its turn. */
      readonly isAside?: true;
    }
  /** Nothing else has happened for a while, and this is what is being waited for: working, not stuck. */
  | {
      readonly type: "activity";
      readonly text: string;
      readonly tool?: string;
      readonly step: number;
      readonly limit: number;
    }
  /** An event of a child agent, relayed by its parent. The last one of a child is its `turn-end`. */
  | {
      readonly type: "child-event";
      readonly childId: string;
      readonly task: string;
      readonly event: AgentEvent;
      readonly child?: ChildFacts;
      readonly milestone?: ChildMilestone;
    }
  | { readonly type: "turn-end"; readonly exitReason: ExitReason; readonly text: string; readonly error?: string };
