import type { Outbound, SendResult } from "../../platform/outbound.ts";
import type { ConnectionPorts, SendContext } from "../../platform/platform.ts";
import { type Fields, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import { failureOf, ServiceError } from "../support/service-error.ts";
import { expired, type WeixinApi } from "./api.ts";
import { linesOf } from "./markup.ts";
import type { WeixinUpdates } from "./updates.ts";
import { uploadFile } from "./upload.ts";

const betweenMs = 350;
const rememberedChats = 1_000;

export interface WeixinWays {
  readonly ports: ConnectionPorts;
  readonly api: WeixinApi;
  readonly updates: Pick<WeixinUpdates, "contextOf" | "forgetContext">;
}

/** Sends in a chat, no faster than Weixin keeps the order. */
export class WeixinSender {
  readonly #ways: WeixinWays;
  readonly #nextAtMs = new Latest<number>(rememberedChats);

  constructor(ways: WeixinWays) {
    this.#ways = ways;
  }

  async send(chatId: string, message: Outbound, context: SendContext): Promise<SendResult> {
    const { ports } = this.#ways;
    if (message.kind === "edit")
      return { kind: "failed", errorClass: "unknown", message: "Weixin shows what was sent as it is" };
    try {
      const items =
        message.kind === "text"
          ? (ports.config.weixin.split_multiline_messages ? linesOf(message.body.text) : [message.body.text]).map(
              textItem,
            )
          : [
              ...(message.caption === undefined ? [] : [textItem(message.caption.text)]),
              await uploadFile(message, { ...this.#ways, chatId, signal: context.signal }),
            ];
      let messageId: string | undefined;
      for (const [index, item] of items.entries())
        messageId = await this.#deliver(chatId, item, {
          ...context,
          // Each is known by its own key, so that what is sent again arrives once.
          key: items.length === 1 ? context.key : `${context.key}:${index}`,
        });
      return { kind: "sent", messageId };
    } catch (error) {
      return failureOf(error);
    }
  }

  async #deliver(chatId: string, item: Fields, { key, signal }: SendContext): Promise<string | undefined> {
    const { api, updates, ports } = this.#ways;
    const waitMs = (this.#nextAtMs.get(chatId) ?? 0) - ports.clock.now();
    if (waitMs > 0) await ports.clock.sleep(waitMs, signal);
    const msg = { to_user_id: chatId, client_id: key, message_type: 2, message_state: 2, item_list: [item] };
    const context = updates.contextOf(chatId);
    const send = async (more: Fields): Promise<string | undefined> =>
      textAt(await api.call("sendmessage", { msg: { ...msg, ...more } }, signal), "message_id") || undefined;
    try {
      if (context === undefined) return await send({});
      return await send({ context_token: context }).catch(async (error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== expired) throw error;
        updates.forgetContext(chatId);
        return await send({});
      });
    } finally {
      // Counted from the answer: when a request arrived, only the service knows.
      this.#nextAtMs.set(chatId, ports.clock.now() + betweenMs);
    }
  }
}

function textItem(text: string): Fields {
  return { type: 1, text_item: { text } };
}
