import { defined } from "#foundation/defined";
import type { Destination, Outbound, SendResult } from "../../../platform/outbound.ts";
import type { SendContext } from "../../../platform/platform.ts";
import { type Fields, textAt } from "../../support/fields.ts";
import { failureOf } from "../../support/service-error.ts";
import type { BridgeApi } from "./api.ts";

export interface BridgeSending extends SendContext {
  readonly api: BridgeApi;
  /** Stands before all we write. */
  readonly prefix: string;
}

export async function sendThroughBridge(
  { chatId }: Destination,
  message: Outbound,
  { api, prefix, key, signal }: BridgeSending,
): Promise<SendResult> {
  const { path, body } = callFor(message, prefix);
  try {
    const answer = await api.rest(path, { body: { chatId, key, ...body }, signal });
    const id = message.kind === "edit" ? message.messageId : textAt(answer, "id");
    return { kind: "sent", messageId: id || undefined };
  } catch (error) {
    return failureOf(error);
  }
}

function callFor(message: Outbound, prefix: string): { readonly path: string; readonly body: Fields } {
  if (message.kind === "edit")
    return { path: "/edit", body: { id: message.messageId, text: prefix + message.body.text } };
  const about = defined({ replyTo: message.replyTo });
  if (message.kind === "text") return { path: "/send", body: { text: prefix + message.body.text, ...about } };
  const { media: type, file, name, caption } = message;
  const words = caption === undefined ? {} : { caption: prefix + caption.text };
  return { path: "/send-media", body: { type, path: file, name, ...words, ...about } };
}
