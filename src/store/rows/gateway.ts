import type { SessionId, TurnId } from "#conversation";
import { isRecord } from "#foundation/text/json";
import type { Row } from "../database.ts";
import type {
  GatewayTurn,
  GatewayTurnStatus,
  InboxEntry,
  InboxKind,
  InboxStatus,
  Lease,
  OutboxEntry,
  OutboxKind,
  OutboxStatus,
  Route,
} from "../records/gateway.ts";
import { json, maybeNumber, maybeText, number, text } from "../row.ts";
import { opened, type Sealer } from "../sealer.ts";

export function toInboxEntry(row: Row, sealer: Sealer | undefined): InboxEntry {
  return {
    id: number(row, "id"),
    dedupKey: text(row, "dedup_key"),
    platform: text(row, "platform"),
    account: text(row, "account"),
    sessionKey: text(row, "session_key"),
    kind: text(row, "kind") as InboxKind,
    event: json(unsealed(row, "event", sealer), "event"),
    status: text(row, "status") as InboxStatus,
    turnId: maybeText(row, "turn_id") as TurnId | undefined,
    attempts: number(row, "attempts"),
    availableAtMs: number(row, "available_at_ms"),
    receivedAtMs: number(row, "received_at_ms"),
    doneAtMs: maybeNumber(row, "done_at_ms"),
  };
}

export function toOutboxEntry(row: Row, sealer: Sealer | undefined): OutboxEntry {
  return {
    id: number(row, "id"),
    idempotencyKey: text(row, "idempotency_key"),
    sessionKey: text(row, "session_key"),
    platform: text(row, "platform"),
    account: text(row, "account"),
    chatId: text(row, "chat_id"),
    threadId: maybeText(row, "thread_id"),
    kind: text(row, "kind") as OutboxKind,
    payload: json(unsealed(row, "payload", sealer), "payload"),
    orderNo: number(row, "order_no"),
    status: text(row, "status") as OutboxStatus,
    attempts: number(row, "attempts"),
    nextAttemptAtMs: number(row, "next_attempt_at_ms"),
    platformMessageId: maybeText(row, "platform_message_id"),
    errorClass: maybeText(row, "error_class"),
    createdAtMs: number(row, "created_at_ms"),
    sentAtMs: maybeNumber(row, "sent_at_ms"),
  };
}

function unsealed(row: Row, column: string, sealer: Sealer | undefined): Row {
  const value = maybeText(row, column);
  return value === undefined ? row : { ...row, [column]: opened(value, sealer) };
}

export function toLease(row: Row): Lease {
  return {
    name: text(row, "name"),
    owner: text(row, "owner"),
    fence: number(row, "fence"),
    expiresAtMs: number(row, "expires_at_ms"),
  };
}

export function toRoute(row: Row): Route {
  const details = json(row, "details");
  return {
    sessionKey: text(row, "session_key"),
    sessionId: text(row, "session_id") as SessionId,
    platform: text(row, "platform"),
    chatType: text(row, "chat_type"),
    chatId: maybeText(row, "chat_id"),
    threadId: maybeText(row, "thread_id"),
    userId: maybeText(row, "user_id"),
    createdAtMs: number(row, "created_at_ms"),
    updatedAtMs: number(row, "updated_at_ms"),
    details: isRecord(details) ? details : {},
  };
}

export function toGatewayTurn(row: Row): GatewayTurn {
  const ids = json(row, "inbox_ids");
  return {
    id: text(row, "turn_id") as TurnId,
    sessionKey: text(row, "session_key"),
    sessionId: text(row, "session_id") as SessionId,
    inboxIds: Array.isArray(ids) ? ids.filter((id): id is number => typeof id === "number") : [],
    fence: number(row, "fence"),
    status: text(row, "status") as GatewayTurnStatus,
    step: text(row, "step"),
    startedAtMs: number(row, "started_at_ms"),
    heartbeatAtMs: number(row, "heartbeat_at_ms"),
    attempts: number(row, "attempts"),
    result: json(row, "result"),
  };
}
