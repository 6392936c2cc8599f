import type { InboundMessage } from "../../platform/inbound.ts";
import { kindOfMime } from "../support/media.ts";

const mostFiles = 10;

/** A message as Twilio has it, from a call or from its list. */
export interface ReceivedSms {
  readonly from: string;
  readonly sid: string;
  readonly body: string;
  readonly atMs: number;
  readonly media: readonly { readonly url: string; readonly mimeType: string }[];
}

/** Undefined when it is our own. */
export function smsMessage({ from, sid, body, atMs, media }: ReceivedSms, own: string): InboundMessage | undefined {
  if (from === "" || sid === "" || from === own) return undefined;
  return {
    source: { platform: "sms", account: own, chatId: from, chatType: "dm", userId: from },
    text: body.trim(),
    messageId: sid,
    dedupKey: `sms:${own}:${sid}`,
    atMs,
    attachments: media
      .slice(0, mostFiles)
      .map(({ url, mimeType }) => ({ kind: kindOfMime(mimeType), ref: { url }, mimeType })),
  };
}

/** A message as Twilio's form tells it. The form names no time. */
export function readForm(fields: URLSearchParams, nowMs: number): ReceivedSms {
  const at = (name: string): string => fields.get(name) ?? "";
  const count = Math.min(mostFiles, Number(at("NumMedia")) || 0);
  const media = Array.from({ length: count }, (_, index) => ({
    url: at(`MediaUrl${index}`),
    mimeType: at(`MediaContentType${index}`),
  }));
  return { from: at("From"), sid: at("MessageSid"), body: at("Body"), atMs: nowMs, media };
}
