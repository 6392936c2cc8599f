import type { Destination, Outbound, SendResult } from "../../platform/outbound.ts";
import type { ConnectionPorts, SendContext } from "../../platform/platform.ts";
import { textAt } from "../support/fields.ts";
import { restOver } from "../support/rest.ts";
import { failureOf, ServiceError } from "../support/service-error.ts";
import { type DingtalkApi, refusal } from "./api.ts";
import type { DingtalkCards } from "./cards.ts";
import type { ReplyAddresses } from "./reply-addresses.ts";

const title = "Hermes";

export interface DingtalkWays {
  readonly api: DingtalkApi;
  readonly addresses: ReplyAddresses;
  readonly cards: DingtalkCards | undefined;
  readonly ports: ConnectionPorts;
}

/** As a card where there is a template, else to the address the last message brought, else by the robot itself. */
export async function sendToDingtalk(
  message: Outbound,
  { chatId, ...context }: SendContext & Pick<Destination, "chatId">,
  ways: DingtalkWays,
): Promise<SendResult> {
  const { cards, ports } = ways;
  if (message.kind === "media")
    return { kind: "failed", errorClass: "unknown", message: "DingTalk gets words only from Hermes" };
  try {
    if (message.kind === "edit") {
      if (cards === undefined) return { kind: "failed", errorClass: "unknown", message: "only cards can be changed" };
      const { signal } = context;
      await cards.change(message.messageId, message.body.text, { isFinal: message.isFinal, signal });
      return { kind: "sent", messageId: message.messageId };
    }
    const text = message.body.text;
    if (cards !== undefined)
      try {
        return { kind: "sent", messageId: await cards.create(chatId, text, context) };
      } catch (error) {
        // A refused card is text; one that may have arrived is not sent a second time.
        if (!(error instanceof ServiceError) || error.errorClass === "rate-limited") throw error;
        ports.logger.warn("a card was refused", { platform: "dingtalk", message: error.message });
      }
    return { kind: "sent", messageId: await writeText(chatId, text, { ...context, ways }) };
  } catch (error) {
    return failureOf(error);
  }
}

async function writeText(
  chatId: string,
  text: string,
  { ways: { api, addresses, ports }, signal }: SendContext & { readonly ways: DingtalkWays },
): Promise<string | undefined> {
  const address = addresses.of(chatId);
  if (address !== undefined) {
    const reply = restOver({ label: "DingTalk", root: address, fetch: ports.fetch, refusal });
    await reply("", { body: { msgtype: "markdown", markdown: { title, text } }, signal });
    return undefined;
  }
  const { robotCode } = api;
  const content = { robotCode, msgKey: "sampleMarkdown", msgParam: JSON.stringify({ title, text }) };
  const answer = chatId.startsWith("cid")
    ? await api.rest("/v1.0/robot/groupMessages/send", { body: { ...content, openConversationId: chatId }, signal })
    : await api.rest("/v1.0/robot/oToMessages/batchSend", { body: { ...content, userIds: [chatId] }, signal });
  return textAt(answer, "processQueryKey") || undefined;
}
