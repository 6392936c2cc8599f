import type { NewOutboxEntry } from "#store";
import type { Destination, Outbound } from "../platform/outbound.ts";
import type { OwedSpeech } from "../voice/speech.ts";

export interface Owing {
  readonly to: Destination;
  readonly sessionKey: string;
  /** The same when the rows are made again: a turn's id, a run of a job. */
  readonly key: string;
}

const kinds = { text: "send", media: "media", speech: "media", edit: "edit" } as const;

export function owed(payload: Outbound | OwedSpeech, { to, sessionKey, key }: Owing, part: string): NewOutboxEntry {
  const { platform, account, chatId, threadId } = to;
  const kind = kinds[payload.kind];
  return { idempotencyKey: `${key}:${part}`, sessionKey, platform, account, chatId, threadId, kind, payload };
}
