import type { Message, MoneyLedger, SessionId, TurnId } from "#conversation";
import type { Document, NewDocument } from "./records/document.ts";
import type {
  Admission,
  Backlog,
  Cursor,
  Fence,
  GatewayTurn,
  GatewayTurnStatus,
  InboxEntry,
  InboxStatus,
  InProgress,
  Lease,
  LeaseOutcome,
  NewInboxEntry,
  NewOutboxEntry,
  OutboxEntry,
  OutboxStatus,
  Route,
  TracesOfChat,
} from "./records/gateway.ts";
import type { JobClaim, JobClaimOptions, JobRecord, JobRun, JobRunState } from "./records/job.ts";
import type { AppendOptions, AppendResult, SearchHit, SearchOptions, StoredMessage } from "./records/message.ts";
import type { FsckReport, Insights, InsightsOptions, StoreStatistics } from "./records/report.ts";
import type {
  BranchOptions,
  ContinuationOptions,
  ExportedSession,
  NewSession,
  PruneOptions,
  SessionListOptions,
  SessionPatch,
  SessionRecord,
  SessionSummary,
  TitleOutcome,
} from "./records/session.ts";
import type {
  CompressionRecord,
  SessionEvent,
  StoredCompression,
  StoredTurn,
  TurnRecord,
  UsageChange,
} from "./records/turn.ts";
import type { Signals } from "./signals.ts";

/**
 * What Hermes remembers. Three implementations (SQLite file, PostgreSQL, SQLite in memory) run one
 * contract suite.
 *
 * 1. A message is identified by its uid within a session and stored once, however often it is appended.
 * 2. What belongs together is written in one transaction; a kill at any moment leaves all of it or none.
 * 3. Point reads and writes are quick; whatever can take longer (search, listing, export, pruning,
 *    reports) leaves the calling thread free and can be aborted.
 */
export interface Sessions {
  /** Does nothing when the id exists. A parent that does not exist is left out. */
  create(session: NewSession): Promise<void>;
  get(id: SessionId): Promise<SessionRecord | undefined>;
  /** The one session with this id or this beginning of an id. */
  resolveId(idOrPrefix: string): Promise<SessionId | undefined>;
  update(id: SessionId, patch: SessionPatch): Promise<void>;
  /** The first reason stays: ending an ended session does nothing. */
  end(id: SessionId, reason: string): Promise<void>;
  reopen(id: SessionId): Promise<void>;
  /** Removes the session with its messages; its children stay, without a parent. */
  delete(id: SessionId): Promise<boolean>;
  list(options?: SessionListOptions): Promise<readonly SessionSummary[]>;
  /** Where a resume continues: the tip of a compression chain, the newest descendant that has messages. */
  resumeTarget(id: SessionId): Promise<SessionId | undefined>;
  /** From the parent up to the root. */
  ancestors(id: SessionId): Promise<readonly SessionId[]>;
  /** Children and their children, oldest first. */
  descendants(id: SessionId): Promise<readonly SessionId[]>;
  rootOf(id: SessionId): Promise<SessionId>;
  setTitle(id: SessionId, title: string): Promise<TitleOutcome>;
  /** The newest of `title #N`, else the session with exactly this title. */
  resolveTitle(title: string): Promise<SessionId | undefined>;
  /** The title itself while it is free, else with the next number. */
  nextTitle(title: string): Promise<string>;
  /** A copy to try something else in. */
  branch(parent: SessionId, options: BranchOptions): Promise<SessionRecord>;
  /** Ends the session by compression and begins its continuation with the given messages, in one transaction. */
  continueCompressed(parent: SessionId, options: ContinuationOptions): Promise<SessionRecord>;
  export(id: SessionId): Promise<ExportedSession | undefined>;
  exportAll(options?: { source?: string; signal?: AbortSignal }): AsyncIterable<ExportedSession>;
  /** Takes in an exported session; messages that are there already are not doubled. */
  import(session: ExportedSession): Promise<AppendResult>;
  /** Removes ended sessions that began before the cut-off; returns how many. */
  prune(options?: PruneOptions): Promise<number>;
}

export interface Messages {
  /** Writes the messages in one transaction, each uid once; makes the session row when it is missing. */
  append(sessionId: SessionId, messages: readonly Message[], options?: AppendOptions): Promise<AppendResult>;
  /** Writes anew what has no column of its own, such as the form messages have in requests; their words stay. How many there were. */
  amend(sessionId: SessionId, messages: readonly Message[]): Promise<number>;
  list(sessionId: SessionId): Promise<readonly StoredMessage[]>;
  /** The transcript as the agent uses it. */
  conversation(sessionId: SessionId): Promise<readonly Message[]>;
  byUids(sessionId: SessionId, uids: readonly string[]): Promise<readonly StoredMessage[]>;
  count(sessionId: SessionId): Promise<number>;
  /** What was written after this row, in any session, in the order of writing. */
  after(rowId: number, options: { limit: number }): Promise<readonly StoredMessage[]>;
  /** The newest row; 0 while there is none. */
  newestRow(): Promise<number>;
  remove(sessionId: SessionId, uids: readonly string[]): Promise<number>;
  /** Removes this message and all after it (undo, retry). */
  removeFrom(sessionId: SessionId, uid: string): Promise<number>;
  /** Removes all messages and sets the counters to zero. */
  clear(sessionId: SessionId): Promise<number>;
}

export interface Search {
  /** Messages that match, best first. Words are joined by AND; `"phrases"`, `OR`, `NOT` and `prefix*` work. */
  messages(query: string, options?: SearchOptions): Promise<readonly SearchHit[]>;
}

export interface Inbox {
  /** Writes the event, the platform's cursor and the hint in one transaction, durable unless somebody waits; acknowledge only afterwards. */
  admit(entry: NewInboxEntry, cursor?: Cursor): Promise<Admission>;
  cursor(platform: string, account: string, name: string): Promise<string | undefined>;
  setCursor(cursor: Cursor): Promise<void>;
  get(id: number): Promise<InboxEntry | undefined>;
  /** Entries of a session that may be promoted now, in order of arrival. */
  pending(sessionKey: string, options?: { limit?: number; kinds?: readonly string[] }): Promise<readonly InboxEntry[]>;
  /** How many entries of a session wait, counted up to the most that matter. */
  waiting(sessionKey: string, most: number): Promise<number>;
  /** Session keys with entries that may be promoted now, longest waiting first. */
  waitingSessions(limit: number): Promise<readonly string[]>;
  /** Turns that hold entries of a session. */
  claimedBy(sessionKey: string): Promise<readonly TurnId[]>;
  /** Gives the entries to a turn; the ids that were still pending. */
  claim(ids: readonly number[], turnId: TurnId): Promise<readonly number[]>;
  finish(ids: readonly number[], status: "done" | "dropped"): Promise<void>;
  /** Entries of a session that turns hold, in order of arrival. */
  claimed(sessionKey: string): Promise<readonly InboxEntry[]>;
  /** Returns what a lost turn had claimed. With a limit that was an attempt, and entries with no attempts left are dead. */
  release(
    turnId: TurnId,
    options?: { maxAttempts: number },
  ): Promise<{ released: readonly number[]; dead: readonly number[] }>;
  /** One more attempt was in vain, whatever became of its turn. */
  countAttempt(ids: readonly number[]): Promise<void>;
  /** The attempts so far count for nothing: something else was the reason. */
  forgiveAttempts(ids: readonly number[]): Promise<void>;
  /** Gives up what was answered in vain; it can be tried again. */
  bury(ids: readonly number[]): Promise<void>;
  postpone(ids: readonly number[], untilMs: number): Promise<void>;
  list(options: { status?: InboxStatus; limit?: number }): Promise<readonly InboxEntry[]>;
  /** Makes a dead or dropped entry pending again. */
  redrive(id: number): Promise<boolean>;
  counts(): Promise<Readonly<Record<InboxStatus, number>>>;
  backlog(): Promise<Backlog>;
  /** Removes finished entries older than that, in batches. */
  prune(olderThan: { doneMs: number; deadMs: number }): Promise<number>;
}

export interface Outbox {
  /** Records messages as owed, and hints at it; an idempotency key that exists is left as it is. Returns the ids of the new ones. */
  owe(entries: readonly NewOutboxEntry[]): Promise<readonly number[]>;
  get(id: number): Promise<OutboxEntry | undefined>;
  byKey(idempotencyKey: string): Promise<OutboxEntry | undefined>;
  /** The first undelivered entry of each chat, where it is due. A failing head holds up its own chat only. */
  due(account: { platform: string; account: string }, options?: { limit?: number }): Promise<readonly OutboxEntry[]>;
  /** False when another sender was faster. */
  startSending(id: number): Promise<boolean>;
  markSent(id: number, platformMessageId: string | undefined): Promise<void>;
  retryAt(id: number, options: { atMs: number; errorClass: string }): Promise<void>;
  fail(id: number, options: { status: "failed" | "dead" | "unknown"; errorClass: string }): Promise<void>;
  /** After a restart: entries that were being sent. They stay so until they are settled, however often that is cut off. */
  interrupted(account: { platform: string; account: string }): Promise<readonly OutboxEntry[]>;
  list(options: { status?: OutboxStatus; limit?: number }): Promise<readonly OutboxEntry[]>;
  redrive(id: number): Promise<boolean>;
  counts(): Promise<Readonly<Record<OutboxStatus, number>>>;
  backlog(): Promise<Backlog>;
  prune(olderThan: { doneMs: number; deadMs: number }): Promise<number>;
}

export interface Leases {
  acquire(name: string, owner: string, ttlMs: number): Promise<LeaseOutcome>;
  /** False: somebody else has it now; stop at once. */
  renew(lease: Fence, ttlMs: number): Promise<boolean>;
  release(lease: Fence): Promise<void>;
  isHeld(lease: Fence): Promise<boolean>;
  get(name: string): Promise<Lease | undefined>;
  /** Those that this owner has not given back, by the beginning of their names; nobody takes them before the transaction ends. */
  ownedBy(owner: string, prefix: string): Promise<readonly Lease[]>;
  /** Those that are held now, by the beginning of their names. */
  held(prefix: string): Promise<readonly Lease[]>;
  /** Those that were never given back, held or run out, by the beginning of their names. */
  kept(prefix: string): Promise<readonly Lease[]>;
  /** Removes leases nobody has renewed for that long; their fences are forgotten only then. */
  prune(expiredBeforeMs: number): Promise<number>;
}

export interface Routes {
  get(sessionKey: string): Promise<Route | undefined>;
  put(route: Route): Promise<void>;
  bySession(sessionId: SessionId): Promise<Route | undefined>;
  /** Newest first. */
  list(options?: { platform?: string; chatId?: string; limit?: number }): Promise<readonly Route[]>;
  remove(sessionKey: string): Promise<boolean>;
  /** Forgets chats that were last heard of before that and have no turn; their sessions stay. */
  prune(olderThanMs: number): Promise<number>;
}

export interface GatewayTurns {
  start(turn: GatewayTurn): Promise<void>;
  get(id: TurnId): Promise<GatewayTurn | undefined>;
  progress(id: TurnId, change: { step?: string; status?: GatewayTurnStatus; attempts?: number }): Promise<void>;
  finish(id: TurnId, status: "done" | "failed" | "abandoned", result?: unknown): Promise<void>;
  /** Turns of a chat that count as running, oldest first. */
  unfinished(sessionKey: string): Promise<readonly GatewayTurn[]>;
  /** Sessions with a turn that counts as running, or with entries that a turn holds, and who serves them now. */
  inProgress(): Promise<readonly InProgress[]>;
  prune(olderThanMs: number): Promise<number>;
}

/** What is known of a person or a chat, for whoever has to forget them. */
export interface Traces {
  /** Keys of the chats whose rows may name this chat or person; look closer before anything is removed. */
  chatsNaming(platform: string, id: string): Promise<readonly string[]>;
  ofChat(sessionKey: string): Promise<TracesOfChat>;
  /** The sessions that a person began on a platform. */
  sessionsOf(source: string, userId: string): Promise<readonly SessionId[]>;
  /** Removes what was received, owed and worked on, and which session the chat was in. */
  removeChat(sessionKey: string): Promise<void>;
  /** Removes what was sent and is to be sent there, from wherever. */
  removeSent(platform: string, chatId: string): Promise<void>;
  removeReceived(ids: readonly number[]): Promise<void>;
}

export interface Jobs {
  put(job: JobRecord): Promise<void>;
  get(id: string): Promise<JobRecord | undefined>;
  list(): Promise<readonly JobRecord[]>;
  remove(id: string): Promise<boolean>;
  /** Enabled jobs whose time has come, earliest first. */
  due(nowMs: number): Promise<readonly JobRecord[]>;
  /** One occurrence goes to one worker; the job's next time moves in the same transaction. */
  claim(options: JobClaimOptions): Promise<JobClaim>;
  heartbeat(runId: number): Promise<boolean>;
  finish(
    runId: number,
    outcome: { state: Exclude<JobRunState, "running">; error?: string; details?: unknown },
  ): Promise<void>;
  runs(jobId: string, options?: { limit?: number }): Promise<readonly JobRun[]>;
  unfinishedRuns(silentSinceMs: number): Promise<readonly JobRun[]>;
  pruneRuns(olderThanMs: number): Promise<number>;
}

export interface Documents {
  /** Writes it anew where it is there already. */
  put(document: NewDocument): Promise<void>;
  get(kind: string, key: string): Promise<Document | undefined>;
  /** Those that have not expired, oldest first. */
  list(kind: string, options: { limit: number }): Promise<readonly Document[]>;
  remove(kind: string, key: string): Promise<boolean>;
  /** Removes what has expired, and all but the newest so many. */
  trim(kind: string, most: number): Promise<void>;
}

export interface Meta {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** Sets the value only while it is what was expected (undefined: absent). */
  compareAndSet(key: string, expected: string | undefined, value: string): Promise<boolean>;
}

export interface UsageLedger {
  /** Adds the tokens of a call. */
  change(sessionId: SessionId, change: UsageChange): Promise<void>;
}

export interface Turns {
  record(turn: TurnRecord): Promise<void>;
  list(sessionId: SessionId): Promise<readonly StoredTurn[]>;
  recordCompression(record: CompressionRecord): Promise<void>;
  compressions(sessionId: SessionId): Promise<readonly StoredCompression[]>;
  recordEvent(event: { sessionId: SessionId; kind: string; details?: unknown }): Promise<void>;
  events(sessionId: SessionId): Promise<readonly SessionEvent[]>;
}

export interface Reports {
  insights(options: InsightsOptions): Promise<Insights>;
  statistics(options?: { signal?: AbortSignal }): Promise<StoreStatistics>;
}

/** Everything that can be done inside a transaction. */
export interface Aggregates {
  readonly sessions: Sessions;
  readonly messages: Messages;
  readonly search: Search;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly routes: Routes;
  readonly gatewayTurns: GatewayTurns;
  readonly traces: Traces;
  readonly jobs: Jobs;
  readonly documents: Documents;
  readonly meta: Meta;
  readonly usage: UsageLedger;
  readonly money: MoneyLedger;
  readonly turns: Turns;
  readonly reports: Reports;
}

export interface StoreTransactionOptions {
  /** Refuse with {@link LeaseLostError} unless this lease is still held. */
  readonly fence?: Fence;
  readonly isDurable?: boolean;
  readonly signal?: AbortSignal;
}

export interface Maintenance {
  /** Checks the database and mends what can be mended without touching a message. */
  fsck(options?: { repair?: boolean; signal?: AbortSignal }): Promise<FsckReport>;
  /** A consistent copy at a new path (SQLite file); PostgreSQL has its own tools and refuses. */
  backup(path: string, signal: AbortSignal): Promise<void>;
  /** Gives free space back to the file system. */
  compact(signal: AbortSignal): Promise<void>;
  /** Brings the substring and CJK index up to date; returns how many messages were taken in. */
  indexPending(signal: AbortSignal): Promise<number>;
  /** Prunes when the last time is long enough ago; undefined when it was not due. Never throws. */
  autoPrune(options: AutoPruneOptions): Promise<number | undefined>;
}

export interface AutoPruneOptions {
  readonly retentionDays: number;
  readonly minIntervalHours: number;
  readonly compactAfter: boolean;
  readonly signal: AbortSignal;
}

export interface Store extends Aggregates, AsyncDisposable {
  readonly kind: "sqlite" | "postgres" | "memory";
  readonly maintenance: Maintenance;
  readonly signals: Signals;
  /**
   * All of it or none. Only what the function is given may be used inside, and nothing slow may be
   * awaited there: on SQLite every other writer waits.
   */
  transaction<T>(fn: (tx: Aggregates) => Promise<T>, options?: StoreTransactionOptions): Promise<T>;
}
