import type { Outbound, SendResult } from "../../platform/outbound.ts";
import type { ConnectionPorts, SendContext } from "../../platform/platform.ts";
import { type Fields, textAt } from "../support/fields.ts";
import { failureOf, ServiceError } from "../support/service-error.ts";
import type { WecomRequests } from "./requests.ts";
import { uploadFile } from "./upload.ts";

export interface WecomSending extends SendContext {
  readonly chatId: string;
  /** The request that the last message of the chat came with. */
  readonly request: string | undefined;
  readonly requests: WecomRequests;
  readonly ports: ConnectionPorts;
}

export async function sendToWecom(message: Outbound, at: WecomSending): Promise<SendResult> {
  if (message.kind === "edit")
    return { kind: "failed", errorClass: "unknown", message: "WeCom shows what was sent as it is" };
  try {
    if (message.kind === "text") return { kind: "sent", messageId: await deliver(markdown(message.body.text), at) };
    const { content, note } = await uploadFile(message, at.requests, at.signal);
    const messageId = await deliver(content, at);
    const words = [message.caption?.text ?? "", note ?? ""].filter((one) => one !== "").join("\n");
    if (words !== "")
      await deliver(markdown(words), at).catch((error: unknown) =>
        at.ports.logger.warn("a file went without its words", { platform: "wecom", message: failureOf(error).message }),
      );
    return { kind: "sent", messageId };
  } catch (error) {
    return failureOf(error);
  }
}

function markdown(content: string): Fields {
  return { msgtype: "markdown", markdown: { content } };
}

/** As an answer to what was asked last, where that is known and still taken; else as a message of its own. */
async function deliver(
  content: Fields,
  { chatId, request, requests, signal }: WecomSending,
): Promise<string | undefined> {
  if (request !== undefined)
    try {
      const answer = await requests.ask({ cmd: "aibot_respond_msg", id: request, body: content }, signal);
      return textAt(answer, "msgid") || undefined;
    } catch (error) {
      if (!isOver(error)) throw error;
    }
  const cmd = "aibot_send_msg";
  const answer = await requests.ask({ cmd, id: requests.nextId(cmd), body: { chatid: chatId, ...content } }, signal);
  return textAt(answer, "msgid") || undefined;
}

/** The request ended, or is not known on this connection. */
function isOver(error: unknown): boolean {
  return error instanceof ServiceError && /^8466(?!07)/u.test(error.code);
}
