import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Destination, Outbound, RenderedText, SendResult } from "../../platform/outbound.ts";
import type { SendContext } from "../../platform/platform.ts";
import { type Fields, textAt } from "../support/fields.ts";
import type { Rest } from "../support/rest.ts";
import { failureOf } from "../support/service-error.ts";

export interface MatrixSending extends SendContext {
  readonly rest: Rest;
  /** Puts a file into the server's store; gives its `mxc` address. */
  upload(name: string, bytes: Buffer, signal: AbortSignal): Promise<string>;
}

/** Our key is the transaction: the server makes one event of it, however often it is sent. */
export async function sendToMatrix(to: Destination, message: Outbound, at: MatrixSending): Promise<SendResult> {
  try {
    const event = await putEvent(
      to.chatId,
      { type: "m.room.message", key: at.key, content: await contentOf(to, message, at) },
      at,
    );
    return { kind: "sent", messageId: message.kind === "edit" ? message.messageId : event };
  } catch (error) {
    return failureOf(error);
  }
}

export async function putEvent(
  room: string,
  event: { readonly type: string; readonly key: string; readonly content: Fields },
  { rest, signal }: { readonly rest: Rest; readonly signal: AbortSignal },
): Promise<string> {
  const at = `/rooms/${encodeURIComponent(room)}/send/${event.type}/${encodeURIComponent(event.key)}`;
  return textAt(await rest(at, { method: "PUT", body: event.content, signal }), "event_id");
}

async function contentOf(to: Destination, message: Outbound, at: MatrixSending): Promise<Fields> {
  if (message.kind === "edit") {
    const { body, messageId } = message;
    const relation = { rel_type: "m.replace", event_id: messageId };
    return { ...words(body), body: `* ${body.plain}`, "m.new_content": words(body), "m.relates_to": relation };
  }
  const relation = relationOf(to, message.replyTo);
  if (message.kind === "text") return { ...words(message.body), ...relation };
  const name = path.basename(message.name);
  const bytes = await readFile(message.file);
  const url = await at.upload(name, bytes, at.signal);
  const caption = message.caption === undefined ? { body: name } : words(message.caption);
  const voice = message.media === "voice" ? { "org.matrix.msc3245.voice": {} } : {};
  return {
    ...caption,
    msgtype: types[message.media],
    filename: name,
    url,
    info: { size: bytes.length },
    ...voice,
    ...relation,
  };
}

const types = {
  image: "m.image",
  animation: "m.image",
  sticker: "m.image",
  video: "m.video",
  audio: "m.audio",
  voice: "m.audio",
  document: "m.file",
} as const;

function words({ text, plain }: RenderedText): Fields {
  const html = text === plain ? {} : { format: "org.matrix.custom.html", formatted_body: text };
  return { msgtype: "m.text", body: plain, ...html };
}

/** Clients without threads see an answer to the thread's first message. */
function relationOf({ threadId }: Destination, replyTo: string | undefined): Fields {
  const reply = (id: string) => ({ "m.in_reply_to": { event_id: id } });
  if (threadId === undefined) return replyTo === undefined ? {} : { "m.relates_to": reply(replyTo) };
  const thread = { rel_type: "m.thread", event_id: threadId, is_falling_back: true };
  return { "m.relates_to": { ...thread, ...reply(replyTo ?? threadId) } };
}
