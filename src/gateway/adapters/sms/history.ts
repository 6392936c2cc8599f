import type { Logger } from "#foundation/files/logger";
import type { InboundMessage } from "../../platform/inbound.ts";
import { type Fields, listAt, textAt } from "../support/fields.ts";
import type { Rest } from "../support/rest.ts";
import { type ReceivedSms, smsMessage } from "./inbound.ts";

export interface SmsHistory {
  /** Below the account. */
  readonly rest: Rest;
  /** Where the addresses of media begin. */
  readonly root: string;
  readonly own: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const pageSize = 200;
/** A hundred thousand messages; they are held until the oldest is known, because Twilio lists the newest first. */
const mostPages = 500;

/** What was written to our number from this time on, oldest first: Twilio calls once or twice, and keeps every message. */
export async function* messagesSince(fromMs: number, history: SmsHistory): AsyncGenerator<InboundMessage> {
  const found: Fields[] = [];
  // Twilio lists the newest first.
  for await (const message of listed(fromMs, history)) {
    if (createdAt(message) < fromMs) break;
    if (textAt(message, "direction") === "inbound") found.push(message);
  }
  for (const message of found.reverse()) {
    const read = smsMessage(await received(message, history), history.own);
    if (read !== undefined) yield read;
  }
}

async function* listed(fromMs: number, { rest, own, logger, signal }: SmsHistory): AsyncGenerator<Fields> {
  const since = new Date(fromMs).toISOString().slice(0, 10);
  const query = new URLSearchParams({ To: own, "DateSent>": since, PageSize: String(pageSize) });
  let path: string | undefined = `/Messages.json?${query}`;
  for (let page = 0; path !== undefined && page < mostPages; page += 1) {
    const answer: Fields = await rest(path, { signal });
    yield* listAt(answer, "messages");
    const next = textAt(answer, "next_page_uri");
    const at = next.indexOf("/Messages.json?");
    path = at === -1 ? undefined : next.slice(at);
  }
  if (path !== undefined)
    logger.warn("more was written than can be asked for; the oldest messages are not answered", {
      platform: "sms",
      asked: mostPages * pageSize,
      since,
    });
}

async function received(message: Fields, { rest, root, signal }: SmsHistory): Promise<ReceivedSms> {
  const sid = textAt(message, "sid");
  const hasMedia = Number(textAt(message, "num_media")) > 0;
  const media = hasMedia ? await rest(`/Messages/${encodeURIComponent(sid)}/Media.json`, { signal }) : {};
  return {
    from: textAt(message, "from"),
    sid,
    body: textAt(message, "body"),
    atMs: createdAt(message),
    media: listAt(media, "media_list").map((file) => ({
      url: `${root}${textAt(file, "uri").replace(/\.json$/u, "")}`,
      mimeType: textAt(file, "content_type"),
    })),
  };
}

function createdAt(message: Fields): number {
  return Date.parse(textAt(message, "date_created")) || 0;
}
