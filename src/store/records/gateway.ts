import type { SessionId, TurnId } from "#conversation";

export type InboxKind = "message" | "command" | "control";
export type InboxStatus = "pending" | "claimed" | "done" | "dropped" | "dead";

export interface NewInboxEntry {
  /** Identifies the event for the platform and account; a second one with this key is a duplicate. */
  readonly dedupKey: string;
  readonly platform: string;
  readonly account: string;
  readonly sessionKey: string;
  readonly kind: InboxKind;
  readonly event: unknown;
  /** Not to be promoted before this time (burst batching). */
  readonly availableAtMs?: number | undefined;
  /** Whoever sent it waits on an open connection, and sends it again when nothing comes: a power cut may lose it, a kill may not. */
  readonly isAwaited?: boolean | undefined;
  /** Whoever serves sessions is told. */
  readonly wakes?: true | undefined;
}

export interface InboxEntry extends NewInboxEntry {
  readonly id: number;
  readonly status: InboxStatus;
  readonly turnId?: TurnId | undefined;
  readonly attempts: number;
  readonly availableAtMs: number;
  readonly receivedAtMs: number;
  readonly doneAtMs?: number | undefined;
}

/** How far a platform's event stream has been taken in. */
export interface Cursor {
  readonly platform: string;
  readonly account: string;
  readonly name: string;
  readonly value: string;
}

export type Admission =
  | { readonly kind: "admitted"; readonly id: number }
  | { readonly kind: "duplicate"; readonly id: number; readonly status: InboxStatus };

export type OutboxKind = "send" | "edit" | "media" | "reaction";
export type OutboxStatus = "pending" | "sending" | "sent" | "unknown" | "failed" | "dead";

export interface NewOutboxEntry {
  /** `turn:part` or another name that is the same when the entry is made again. */
  readonly idempotencyKey: string;
  readonly sessionKey: string;
  readonly platform: string;
  readonly account: string;
  readonly chatId: string;
  readonly threadId?: string | undefined;
  readonly kind: OutboxKind;
  readonly payload: unknown;
}

export interface OutboxEntry extends NewOutboxEntry {
  readonly id: number;
  /** Grows per chat; entries of one chat are delivered in this order. */
  readonly orderNo: number;
  readonly status: OutboxStatus;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  readonly platformMessageId?: string | undefined;
  readonly errorClass?: string | undefined;
  readonly createdAtMs: number;
  readonly sentAtMs?: number | undefined;
}

/** What waits in a queue. */
export interface Backlog {
  readonly byPlatform: Readonly<Record<string, number>>;
  /** Nineteen of twenty have waited since then or later; undefined where nothing waits. */
  readonly p95SinceMs: number | undefined;
}

export interface Lease {
  readonly name: string;
  readonly owner: string;
  /** Grows with every acquisition; a write that carries an older one is refused. */
  readonly fence: number;
  readonly expiresAtMs: number;
}

/** The lease that says a conversation is open in a window. One that is held keeps the session from being pruned. */
export const openSessionLease = (id: string): string => `open:${id}`;

export type LeaseOutcome =
  | { readonly kind: "held"; readonly lease: Lease }
  | { readonly kind: "busy"; readonly owner: string; readonly expiresAtMs: number };

/** What a transaction proves before it writes. */
export type Fence = Pick<Lease, "name" | "owner" | "fence">;

/** Which session a chat is in, with what the gateway remembers about it. */
export interface Route {
  readonly sessionKey: string;
  readonly sessionId: SessionId;
  readonly platform: string;
  readonly chatType: string;
  readonly chatId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly userId?: string | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Flags, display name, origin, counters: the gateway's own, stored as JSON. */
  readonly details: Readonly<Record<string, unknown>>;
}

export type GatewayTurnStatus = "running" | "awaiting" | "done" | "failed" | "abandoned";

/** A turn in flight, so that another worker can take it up. */
export interface GatewayTurn {
  readonly id: TurnId;
  readonly sessionKey: string;
  readonly sessionId: SessionId;
  readonly inboxIds: readonly number[];
  readonly fence: number;
  readonly status: GatewayTurnStatus;
  readonly step: string;
  readonly startedAtMs: number;
  readonly heartbeatAtMs: number;
  readonly attempts: number;
  readonly result?: unknown | undefined;
}

/** A session that is being served, or was when its program died. */
export interface InProgress {
  readonly sessionKey: string;
  /** The lease of whoever serves it, as it stands. */
  readonly lease: Lease | undefined;
}

/** What the store holds of a chat beside its transcripts. */
export interface TracesOfChat {
  readonly route: Route | undefined;
  readonly received: readonly InboxEntry[];
  /** The keys of everything that was sent or is to be sent. */
  readonly owedKeys: readonly string[];
  /** The sessions it is and was in. */
  readonly sessionIds: readonly SessionId[];
}
