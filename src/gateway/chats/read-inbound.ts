import { isRecord } from "#foundation/text/json";
import type { InboundMessage } from "../platform/inbound.ts";

/** A row's event as the message it was; undefined when it is none. Rows outlive versions, so nothing is taken on trust. */
export function readInbound(event: unknown): InboundMessage | undefined {
  if (!isRecord(event)) return undefined;
  const { source, text, dedupKey, atMs, attachments } = event;
  if (!isRecord(source) || typeof source["platform"] !== "string" || typeof source["account"] !== "string")
    return undefined;
  if (typeof source["chatId"] !== "string" || typeof source["chatType"] !== "string") return undefined;
  if (typeof text !== "string" || typeof dedupKey !== "string" || typeof atMs !== "number") return undefined;
  return { ...event, attachments: Array.isArray(attachments) ? attachments : [] } as unknown as InboundMessage;
}
