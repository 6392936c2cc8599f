import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Destination, Outbound, RenderedText, SendResult } from "../../platform/outbound.ts";
import type { SendContext } from "../../platform/platform.ts";
import type { Fields } from "../support/fields.ts";
import type { Rest } from "../support/rest.ts";
import { failureOf } from "../support/service-error.ts";
import type { EncryptedRooms } from "./encryption/rooms.ts";

export interface MatrixSending extends SendContext {
  readonly rest: Rest;
  readonly rooms: EncryptedRooms;
  /** Puts a file into the server's store; gives its `mxc` address. */
  upload(name: string, bytes: Buffer, signal: AbortSignal): Promise<string>;
}

/** Our key is the transaction: the server makes one event of it, however often it is sent. */
export async function sendToMatrix(to: Destination, message: Outbound, at: MatrixSending): Promise<SendResult> {
  try {
    const event = await at.rooms.put(to.chatId, { key: at.key, content: await contentOf(to, message, at) }, at.signal);
    return { kind: "sent", messageId: message.kind === "edit" ? message.messageId : event };
  } catch (error) {
    return failureOf(error);
  }
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
  const closed = await at.rooms.closedFile(to.chatId, bytes, at.signal);
  const url = await at.upload(name, closed?.bytes ?? bytes, at.signal);
  const caption = message.caption === undefined ? { body: name } : words(message.caption);
  const voice = message.media === "voice" ? { "org.matrix.msc3245.voice": {} } : {};
  return {
    ...caption,
    msgtype: types[message.media],
    filename: name,
    ...(closed === undefined ? { url } : { file: { ...closed.key, url } }),
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
