import type { AgentEvent, ApprovalAnswer, Cost, Message, SessionId, TurnId, TurnResult, Usage } from "#conversation";
import type { RemoteHermes } from "#model";
import type { Aggregates, Cursor } from "#store";
import type { McpServerSettings, SessionChat, TerminalChoice } from "#tools";

/**
 * What every surface talks to: the terminal, one-shot runs, the gateway, editors. A surface sends input and
 * answers, and draws events; it knows nothing of agents, tools or stores.
 */
export interface SessionService extends AsyncDisposable {
  /** A session for one surface alone: closing it closes the session. */
  open(options: OpenOptions): Promise<OpenSession>;
  /**
   * A session that several surfaces may hold at once. One that is open already is lent as it is, with what it was opened
   * with; `alongside` and `isFenced` are taken over. Closing it gives it back: it stays warm, and is put away after an
   * idle time or when too many are warm, without its row being ended. One that works or waits for somebody stays.
   */
  borrow(options: BorrowOptions): Promise<OpenSession>;
  /** The session a person means: an id, the beginning of one, or a title; follows compression to the live tip. */
  find(idOrTitle: string): Promise<SessionId | undefined>;
  /** The newest conversation of this surface: of the folder, else of any, with the folder it was in. One-shot runs do not count. */
  newest(
    source: string,
    folder?: string,
  ): Promise<{ readonly id: SessionId; readonly folder: string | undefined } | undefined>;
  /** The conversations that are open in this program now. */
  live(): readonly LiveSession[];
}

/** A conversation that is open, and what a person is asked in it. */
export interface LiveSession {
  readonly info: SessionInfo;
  readonly requests: readonly SessionRequest[];
}

export interface OpenOptions {
  /** Absent begins a new session. */
  readonly resume?: SessionId | undefined;
  /** The conversation so far, from whoever keeps it: instead of `resume`. It ends with an answer, and every call has its result. */
  readonly history?: readonly Message[] | undefined;
  /** False: nothing of it is kept beyond this session, neither row nor input nor log. */
  readonly isStored?: boolean | undefined;
  /** `cli`, `telegram`, `cron`, `tool`, … stored with the session. */
  readonly source: string;
  readonly title?: string | undefined;
  /** Whose session it is, on surfaces with several people. */
  readonly userId?: string | undefined;
  /** The chat it is held in, on surfaces that have chats. */
  readonly chat?: SessionChat | undefined;
  /** That person is the owner of the home: its memory, sessions, jobs and lasting permissions are theirs. */
  readonly isOwner?: boolean | undefined;
  /** `provider:model` or a model's name; only for this session. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** A default model that is changed meanwhile becomes the one of this session with its next turn. */
  readonly followsSettings?: boolean | undefined;
  /** An endpoint other than the provider's own. */
  readonly baseUrl?: string | undefined;
  readonly toolsets?: readonly string[] | undefined;
  /** Beside those it would have. */
  readonly moreToolsets?: readonly string[] | undefined;
  /** Taken away from those it would have. */
  readonly disabledToolsets?: readonly string[] | undefined;
  /** Loaded for the whole session. */
  readonly skills?: readonly string[] | undefined;
  readonly maxSteps?: number | undefined;
  readonly yolo?: boolean | undefined;
  /** Nothing is changed until a person accepts the plan. */
  readonly isPlanning?: boolean | undefined;
  /** Appends its turns to the training files, or, as a sample, writes each to a file of its own. */
  readonly saveTrajectories?: boolean | "sample" | undefined;
  readonly passSessionId?: boolean | undefined;
  /** Instructions of the program that opened the session; a part of its prompt from the beginning. */
  readonly systemMessage?: string | undefined;
  /** No SOUL.md, memory or context files. */
  readonly ignoreRules?: boolean | undefined;
  /** False: memory is neither read nor written. */
  readonly usesMemory?: boolean | undefined;
  /** Models that take over when the chosen one fails, each as `provider:model`; the configured ones when absent. */
  readonly fallback?: readonly string[] | undefined;
  /** A Hermes elsewhere does the turns, with its own tools, memory and instructions; here the conversation is kept. */
  readonly remote?: RemoteHermes | undefined;
  readonly cwd: string;
  /** The kind of terminal it works in, and what is special about its own; the configured one when absent. */
  readonly terminal?: TerminalChoice | undefined;
  /** MCP servers that only this session has; editors bring some. */
  readonly mcpServers?: readonly McpServerSettings[] | undefined;
  /** False: nobody can be asked; flagged commands are denied and questions are answered by the agent itself. */
  readonly isInteractive: boolean;
  /** Written with the messages, in their transaction: what is owed for an answer, what an answered input leaves. */
  readonly alongside?: Alongside | undefined;
  /** What was done beside the conversation after a turn (notes were taken); whoever holds it then, or held it last, is told. */
  readonly onAside?: ((text: string) => void) | undefined;
  /** Nothing of a turn is stored once another program has taken the session over; this one must be opened again then. */
  readonly isFenced?: boolean | undefined;
}

/**
 * What a surface writes in the transaction that stores messages. A transaction that fails is tried again with the next
 * message, so it may be called more than once for the same messages; of those calls one counts. Nothing slow, and
 * nothing but `tx`. Messages are not stored while it throws.
 */
export type Alongside = (tx: Aggregates, written: Written) => Promise<void>;

/** What one transaction stores of a turn. */
export interface Written {
  /** The part of the session they are in. */
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  /** The sources that sent the words of this turn; none for a turn that began by itself. */
  readonly from: readonly string[];
  /** Only those that were not stored before, in order. */
  readonly messages: readonly Message[];
  /** The last of them is the last word of the turn. */
  readonly isFinal: boolean;
  /** Entries that leave the inbox with them. */
  readonly inboxIds: readonly number[];
}

export interface BorrowOptions extends Omit<OpenOptions, "history" | "isStored"> {
  /** The chat or tab it is borrowed for: whoever names the same key gets the same session, also after `/new`. */
  readonly key?: string | undefined;
  /** Another program went on with it since it was last borrowed here: what is warm of it is old, and it is opened anew. */
  readonly isOvertaken?: boolean | undefined;
}

export interface SessionInfo {
  readonly id: SessionId;
  readonly rootId: SessionId;
  readonly title: string | undefined;
  readonly source: string;
  readonly model: string;
  readonly provider: string;
  readonly providerLabel: string;
  /** Where the model and its key came from, for people. */
  readonly modelSource: string;
  readonly isDemo: boolean;
  readonly contextWindow: number;
  readonly contextTokens: number;
  /** Too small for long work, and accepted by the person. */
  readonly isWindowSmall: boolean;
  readonly usage: Usage;
  readonly cost: Cost | undefined;
  readonly cwd: string;
  readonly startedAtMs: number;
  readonly toolsets: readonly ToolsetInfo[];
  /** Counted where a person can see it. */
  readonly skillCount: number;
  /** Commands of processes that run in the background. */
  readonly processes?: readonly string[] | undefined;
  readonly isYolo: boolean;
  /** Nothing is changed, because a plan is being made. */
  readonly isPlanning: boolean;
  readonly isBusy: boolean;
  readonly queued: readonly string[];
  readonly fallbackActive: boolean;
}

export interface ToolsetInfo {
  readonly name: string;
  readonly tools: readonly string[];
  readonly unavailable: readonly { readonly name: string; readonly reason: string }[];
}

/** One conversation, open on a surface. */
export interface OpenSession extends AsyncDisposable {
  readonly info: SessionInfo;
  readonly history: readonly Message[];
  /** Events of all turns, in order, each with its number; a listener that throws is dropped. */
  subscribe(listener: SessionListener, options?: SubscribeOptions): Disposable;
  /** Input from a person: a slash command, words for the model, or words while it is busy. */
  submit(input: UserInput): Promise<Submission>;
  /** Goes on with a turn that broke off (a crash, a failure); undefined when the last one is finished. */
  continueTurn(): Submission | undefined;
  /** Completions for the line up to the cursor. */
  complete(line: string, signal: AbortSignal): Promise<readonly Completion[]>;
  steer(text: string): boolean;
  queue(text: string): void;
  /** Takes a queued message out again, to edit it. */
  unqueue(index: number): string | undefined;
  interrupt(message?: string): void;
  /**
   * Stops the turn that runs as a crash would: nothing more of it is stored, so that it can be continued by whoever
   * opens the session next. This one takes no more input.
   */
  breakOff(): void;
  /** How much may be done without asking, from the next call on. */
  setMode(mode: SessionMode): void;
  /** Answers an approval that was asked for by an event. */
  approve(requestId: string, answer: ApprovalAnswer): void;
  /** Answers a question, a sudo prompt or a request for a secret; undefined cancels. */
  answer(requestId: string, text: string | undefined): void;
  /** Resolves when no turn runs and nothing is queued. */
  settled(): Promise<void>;
}

/** `default` asks about what is flagged, `plan` changes nothing, `yolo` asks about nothing. */
export type SessionMode = "default" | "plan" | "yolo";

export type SessionListener = (event: SessionEvent, seq: number) => void;

export interface SubscribeOptions {
  /**
   * The number of the last event this surface has: it is told at once what it missed, or, where that is no longer known,
   * how things stand (`resync`).
   */
  readonly afterSeq?: number | undefined;
}

export interface UserInput {
  readonly text: string;
  /** What the model reads instead: the words with what the surface adds to them. The text is what is kept and shown. */
  readonly sent?: string | undefined;
  /** Paths or data URLs. */
  readonly images?: readonly string[] | undefined;
  /** Words of a program: neither a command nor a reference such as `@file:` in them is acted upon. */
  readonly isPlain?: boolean | undefined;
  /** Words of strangers are among them: where those came from. */
  readonly untrusted?: string | undefined;
  /** The sender waits for the answer on an open connection; it sends the words again when a power cut takes both. */
  readonly isAwaited?: boolean | undefined;
  /** How it came in; absent where nothing outside has to know of it. */
  readonly admission?: InputAdmission | undefined;
}

/** The door an input came through. It is taken in once, whatever is sent again. */
export type InputAdmission =
  /** The same key twice from one surface is one input; the cursor of the platform moves in the same transaction. */
  | { readonly key: string; readonly cursor?: Cursor | undefined }
  /** Entries of the inbox that hold these words already; they leave it in the transaction that stores the message. */
  | { readonly inboxIds: readonly number[] };

/** What became of an input at once; everything else arrives as events. */
export type Submission =
  | { readonly kind: "turn"; readonly ended: Promise<TurnResult> }
  | { readonly kind: "queued"; readonly position: number }
  | { readonly kind: "steered" }
  | { readonly kind: "command"; readonly view: CommandView }
  /** It was taken in before. */
  | { readonly kind: "duplicate" }
  /** `isLost`: another program has the session; borrowed or opened again, it goes on from what is stored. */
  | { readonly kind: "refused"; readonly message: string; readonly isLost?: true };

/** What a session tells its surface, beyond the events of its turns. */
export type SessionEvent =
  | AgentEvent
  | { readonly type: "session-changed"; readonly info: SessionInfo }
  | { readonly type: "queue-changed"; readonly queued: readonly string[] }
  /** Events were missed: how things stand now. Everything before is in the transcript. */
  | {
      readonly type: "resync";
      readonly info: SessionInfo;
      /** The turn that runs. */
      readonly turnId?: TurnId | undefined;
      /** What the reply that is being written says so far. */
      readonly text: string;
      /** What waits for an answer. */
      readonly requests: readonly SessionRequest[];
    }
  | {
      readonly type: "secret-request";
      readonly id: string;
      readonly what: "sudo" | "secret";
      readonly prompt: string;
      readonly variable?: string;
    }
  | { readonly type: "background-start"; readonly id: string; readonly prompt: string }
  | { readonly type: "background-end"; readonly id: string; readonly prompt: string; readonly text: string };

/** An event that waits for an answer of a person. */
export type SessionRequest = Extract<
  SessionEvent,
  { readonly type: "approval-request" | "question-request" | "secret-request" }
>;

/** What a command shows. Surfaces decide how; none of them invents content. */
export type CommandView =
  | { readonly kind: "text"; readonly text: string; readonly level?: "info" | "warn" | "error" }
  | { readonly kind: "markdown"; readonly text: string }
  | {
      readonly kind: "table";
      readonly title: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | {
      readonly kind: "picker";
      readonly title: string;
      readonly items: readonly PickerItem[] /** Sent as a command line with the chosen value. */;
      readonly command: string;
    }
  /** The command became words for the model. */
  | { readonly kind: "turn"; readonly ended: Promise<TurnResult> }
  /** Something only the surface can do. */
  | { readonly kind: "surface"; readonly action: SurfaceAction }
  | { readonly kind: "nothing" };

export interface PickerItem {
  readonly value: string;
  readonly label: string;
  readonly detail: string;
  readonly isCurrent: boolean;
  /** Longer words, shown while it is pointed at. */
  readonly help?: string | undefined;
}

export type SurfaceAction =
  | { readonly do: "quit" }
  | { readonly do: "clear-screen" }
  | { readonly do: "set-skin"; readonly name: string }
  | { readonly do: "toggle-statusbar" }
  | { readonly do: "cycle-verbose" }
  | { readonly do: "set-details"; readonly section: string; readonly mode: string }
  /** Says how much is shown of each section now. */
  | { readonly do: "show-details" }
  | { readonly do: "show-reasoning"; readonly isShown: boolean }
  | { readonly do: "copy"; readonly text: string }
  | { readonly do: "attach-image"; readonly path: string }
  | { readonly do: "paste-image" }
  | { readonly do: "switch-session"; readonly id: SessionId }
  /** Asks for provider, credential and model, and uses them from then on. */
  | { readonly do: "connect" }
  /** A line for the person to finish, and what is to be known for it. */
  | { readonly do: "edit-line"; readonly text: string; readonly about: string };

export interface Completion {
  /** Replaces the line from `from` to the cursor. */
  readonly from: number;
  readonly text: string;
  readonly label: string;
  readonly detail: string;
}
