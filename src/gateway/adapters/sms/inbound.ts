import type { InboundMessage } from "../../platform/inbound.ts";
import { kindOfMime } from "../support/media.ts";

const mostFiles = 10;

/** A message as Twilio's form tells it; undefined when it is our own. */
export function readSms(fields: URLSearchParams, own: string, nowMs: number): InboundMessage | undefined {
  const [from, sid] = [fields.get("From") ?? "", fields.get("MessageSid") ?? ""];
  if (from === "" || sid === "" || from === own) return undefined;
  const count = Math.min(mostFiles, Number(fields.get("NumMedia") ?? 0) || 0);
  const attachments = Array.from({ length: count }, (_, index) => {
    const mimeType = fields.get(`MediaContentType${index}`) ?? "";
    return { kind: kindOfMime(mimeType), ref: { url: fields.get(`MediaUrl${index}`) ?? "" }, mimeType };
  });
  return {
    source: { platform: "sms", account: own, chatId: from, chatType: "dm", userId: from },
    text: (fields.get("Body") ?? "").trim(),
    messageId: sid,
    dedupKey: `sms:${own}:${sid}`,
    atMs: nowMs,
    attachments,
  };
}
