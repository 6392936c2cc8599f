import { openAsBlob } from "node:fs";
import path from "node:path";
import type { Destination, Outbound, SendResult } from "../../platform/outbound.ts";
import type { SendContext } from "../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import type { Rest } from "../support/rest.ts";
import { failureOf, ServiceError } from "../support/service-error.ts";

export interface BlueBubblesSending extends SendContext {
  /** Adds the password to a path. */
  readonly rest: Rest;
  readonly hasPrivateApi: boolean;
}

export async function sendToBlueBubbles(
  to: Destination,
  message: Outbound,
  at: BlueBubblesSending,
): Promise<SendResult> {
  if (message.kind === "edit") return { kind: "failed", errorClass: "unknown", message: "messages stay as they are" };
  try {
    const answer = message.kind === "text" ? await sendText(to, message, at) : await sendFile(to, message, at);
    return { kind: "sent", messageId: textAt(fieldsAt(answer, "data"), "guid") || undefined };
  } catch (error) {
    // The server holds our key from the first attempt: it was sent then.
    if (error instanceof ServiceError && /already been sent|is already queued/iu.test(error.message))
      return { kind: "sent", messageId: undefined };
    return failureOf(error);
  }
}

type Sent<K extends Outbound["kind"]> = Extract<Outbound, { readonly kind: K }>;

async function sendText(to: Destination, message: Sent<"text">, at: BlueBubblesSending): Promise<Fields> {
  const { rest, key: tempGuid, hasPrivateApi, signal } = at;
  const text = message.body.plain;
  // An address nobody wrote from yet has no chat; only the private API can open one.
  if (!to.chatId.includes(";") && hasPrivateApi) {
    const body = { addresses: [to.chatId], message: text, tempGuid, method: "private-api" };
    return await rest("/chat/new", { body, signal });
  }
  const chatGuid = to.chatId.includes(";") ? to.chatId : `iMessage;-;${to.chatId}`;
  const reply = message.replyTo === undefined ? {} : { selectedMessageGuid: message.replyTo, partIndex: 0 };
  const own = hasPrivateApi ? { method: "private-api", ...reply } : { method: "apple-script" };
  return await rest("/message/text", { body: { chatGuid, tempGuid, message: text, ...own }, signal });
}

async function sendFile(to: Destination, message: Sent<"media">, at: BlueBubblesSending): Promise<Fields> {
  const name = path.basename(message.name);
  const form = new FormData();
  form.set("chatGuid", to.chatId);
  form.set("tempGuid", at.key);
  form.set("name", name);
  form.set("attachment", await openAsBlob(message.file), name);
  const answer = await at.rest("/message/attachment", { body: form, signal: at.signal });
  const { caption } = message;
  if (caption !== undefined) await sendText(to, { kind: "text", body: caption }, { ...at, key: `${at.key}:caption` });
  return answer;
}
