import type { NewOutboxEntry } from "#store";
import type { Destination, Outbound } from "../platform/outbound.ts";

export interface Owing {
  readonly to: Destination;
  readonly sessionKey: string;
  /** The same when the rows are made again: a turn's id, a run of a job. */
  readonly key: string;
}

export function owed(payload: Outbound, { to, sessionKey, key }: Owing, part: string): NewOutboxEntry {
  const { platform, account, chatId, threadId } = to;
  const kind = payload.kind === "text" ? "send" : payload.kind;
  return { idempotencyKey: `${key}:${part}`, sessionKey, platform, account, chatId, threadId, kind, payload };
}
