import type { Message, SessionId } from "#conversation";

/** A message with what only the store knows about it. */
export interface StoredMessage {
  readonly id: number;
  readonly sessionId: SessionId;
  readonly message: Message;
  readonly timestampMs: number;
  readonly tokenCount?: number | undefined;
}

export interface AppendOptions {
  /** The source of the session row, should it have to be made now. */
  readonly source?: string | undefined;
  /** Tokens of the messages, by uid, where known. */
  readonly tokenCounts?: Readonly<Record<string, number>> | undefined;
}

export interface AppendResult {
  /** Row ids of the messages written now, in order. */
  readonly ids: readonly number[];
  /** Uids of the messages written now, in order. */
  readonly uids: readonly string[];
  /** How many were in the session already, by uid. */
  readonly duplicates: number;
}

export interface SearchOptions {
  readonly sources?: readonly string[] | undefined;
  readonly excludeSources?: readonly string[] | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchContext {
  readonly role: string;
  readonly content: string;
}

export interface SearchHit {
  readonly id: number;
  readonly uid: string;
  readonly sessionId: SessionId;
  readonly role: string;
  readonly timestampMs: number;
  readonly toolName?: string | undefined;
  /** The place that matched, between `>>>` and `<<<`. */
  readonly snippet: string;
  /** The message before, the match and the message after, of the same session, 200 characters each. */
  readonly context: readonly SearchContext[];
  readonly source: string;
  readonly model?: string | undefined;
  readonly sessionStartedMs: number;
}
