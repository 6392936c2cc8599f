/** What comes over the socket: the wire form of session events (docs/reference), the transcript, and replies. */
export interface HistoryMessage {
  readonly id?: string;
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly images?: readonly string[];
  readonly reasoning?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly call_id?: string;
  readonly name?: string;
}

export interface SessionFacts {
  readonly id: string;
  readonly title?: string;
  readonly model: string;
  readonly provider_label: string;
  readonly is_demo: boolean;
  readonly is_busy: boolean;
  readonly is_yolo: boolean;
  readonly context_window: number;
  readonly context_tokens: number;
  readonly cwd: string;
  readonly cost?: { readonly usd?: number };
  readonly queued: readonly string[];
}

export type Choice = "once" | "folder" | "session" | "always" | "deny";

export type PersonRequest =
  | {
      readonly type: "approval-request";
      readonly id: string;
      readonly tool: string;
      readonly summary: string;
      readonly reasons: readonly string[];
      readonly choices: readonly Choice[];
      /** How far each answer reaches. */
      readonly scopes?: Readonly<Partial<Record<Choice, string>>>;
      /** Lines of the summary (the first is 0) the reasons are about. */
      readonly lines?: readonly number[];
      readonly is_destructive: boolean;
    }
  | {
      readonly type: "question-request";
      readonly id: string;
      readonly question: string;
      readonly choices: readonly string[];
    }
  | { readonly type: "secret-request"; readonly id: string; readonly what: "sudo" | "secret"; readonly prompt: string };

type Numbered = { readonly seq: number };

/** What an agent does that another one started. */
export interface ChildFrame {
  readonly type: "child-event";
  readonly child_id: string;
  readonly task: string;
  readonly event: PersonRequest | PersonAnswer | ChildStep;
}

type PersonAnswer = { readonly type: "approval-response" | "question-response"; readonly id: string };

/** Its other events change nothing that is shown. */
export type ChildStep =
  | { readonly type: "turn-start" }
  | { readonly type: "tool-start"; readonly name: string; readonly preview: string }
  | { readonly type: "turn-end"; readonly text: string; readonly error?: string };

export type EventFrame = Numbered &
  (
    | PersonRequest
    | { readonly type: "turn-start"; readonly turn_id: string }
    | { readonly type: "turn-end"; readonly exit_reason: string; readonly error?: string }
    | { readonly type: "text-delta" | "reasoning-delta"; readonly text: string }
    | {
        readonly type: "message-end";
        readonly message: { readonly uid?: string; readonly content: string; readonly reasoning?: string | null };
      }
    | {
        readonly type: "tool-start";
        readonly call_id: string;
        readonly name: string;
        readonly preview: string;
        readonly args?: unknown;
      }
    | { readonly type: "tool-update"; readonly call_id: string; readonly text: string }
    | {
        readonly type: "tool-end";
        readonly call_id: string;
        readonly name: string;
        readonly is_error: boolean;
        readonly duration_ms: number;
        readonly preview: string;
        readonly diff?: string;
        readonly result?: string;
      }
    | PersonAnswer
    | { readonly type: "input-admitted"; readonly message_id: string; readonly text: string }
    | { readonly type: "notice"; readonly level: "info" | "warn" | "error"; readonly text: string }
    | {
        readonly type: "recovery-start";
        /** What went wrong with an attempt and what is done about it, for the person. */
        readonly text: string;
        readonly attempt?: { readonly number: number; readonly of: number };
      }
    | { readonly type: "compression-start"; readonly reason: string }
    | { readonly type: "compression-end"; readonly tokens_before: number; readonly tokens_after: number }
    | { readonly type: "target-change"; readonly provider: string; readonly model: string; readonly reason: string }
    | { readonly type: "background-end"; readonly prompt: string; readonly text: string }
    | ChildFrame
    | { readonly type: "queue-changed"; readonly queued: readonly string[] }
    | { readonly type: "session-changed"; readonly info: SessionFacts }
    | { readonly type: "usage"; readonly context_tokens: number; readonly context_window: number }
    | {
        readonly type: "resync";
        readonly info: SessionFacts;
        readonly turn_id?: string;
        readonly text: string;
        readonly requests: readonly PersonRequest[];
      }
  );

export interface HistoryFrame {
  readonly type: "history";
  readonly session_id: string;
  /** How many messages come before those sent. */
  readonly earlier: number;
  readonly messages: readonly HistoryMessage[];
}

/** Something only the page can do for a command. */
export interface SurfaceAction {
  readonly do: string;
  readonly id?: string;
  readonly text?: string;
}

export type View =
  | { readonly kind: "text" | "markdown"; readonly text: string; readonly level?: "info" | "warn" | "error" }
  | {
      readonly kind: "table";
      readonly title: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | {
      readonly kind: "picker";
      readonly title: string;
      readonly command: string;
      readonly items: readonly {
        readonly value: string;
        readonly label: string;
        readonly detail: string;
        readonly is_current: boolean;
      }[];
    }
  | { readonly kind: "surface"; readonly action: SurfaceAction }
  | { readonly kind: "turn" | "nothing" };

export interface CompletionItem {
  readonly from: number;
  readonly text: string;
  readonly label: string;
  readonly detail: string;
}

export type ReplyFrame = { readonly type: "reply"; readonly ref?: string } & (
  | { readonly kind: "turn" | "steered" | "duplicate" | "done" }
  | { readonly kind: "queued"; readonly position: number }
  | { readonly kind: "command"; readonly view: View }
  | { readonly kind: "refused"; readonly message: string; readonly is_lost?: boolean }
  | { readonly kind: "unqueued"; readonly text: string }
  | { readonly kind: "completions"; readonly completions: readonly CompletionItem[] }
);

export type Frame = EventFrame | HistoryFrame | ReplyFrame;
