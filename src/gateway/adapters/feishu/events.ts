import { createHash } from "node:crypto";
import { isRecord } from "#foundation/text/json";
import type { ChatType } from "../../platform/inbound.ts";
import type { ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import type { FeishuApi } from "./api.ts";
import { readComment } from "./comments.ts";
import { forwardedWords } from "./content.ts";
import { type FeishuRules, readMessage, sourceOf } from "./inbound.ts";
import { idsOf } from "./rules.ts";

const rememberedChats = 1_000;
const sameClickMs = 15 * 60_000;

export interface EventDeps {
  readonly ports: ConnectionPorts;
  readonly api: FeishuApi;
  readonly rules: FeishuRules;
}

/** Takes events in, whichever way they came. What it gives is the answer to Feishu; an event is on disk then. */
export class FeishuEvents {
  readonly #deps: EventDeps;
  readonly #chatTypes = new Latest<ChatType>(rememberedChats);

  constructor(deps: EventDeps) {
    this.#deps = deps;
  }

  async take(call: Fields, signal: AbortSignal): Promise<Fields> {
    const { ports, rules, api } = this.#deps;
    const header = fieldsAt(call, "header");
    const event = fieldsAt(call, "event");
    switch (textAt(header, "event_type")) {
      case "im.message.receive_v1":
        await this.#takeMessage(event, signal);
        return {};
      case "im.message.reaction.created_v1":
        await this.#takeReaction(event, { word: "added", id: textAt(header, "event_id") }, signal);
        return {};
      case "im.message.reaction.deleted_v1":
        await this.#takeReaction(event, { word: "removed", id: textAt(header, "event_id") }, signal);
        return {};
      case "card.action.trigger":
        return await this.#takeClick(event, header, signal);
      case "drive.notice.comment_add_v1": {
        const comment = await readComment(event, rules, { api, signal });
        if (comment !== undefined) await ports.admit(comment);
        return {};
      }
      default:
        return {};
    }
  }

  async #takeMessage(event: Fields, signal: AbortSignal): Promise<void> {
    const { ports, rules, api } = this.#deps;
    const message = readMessage(event, rules);
    if (message === undefined) return;
    this.#chatTypes.set(message.source.chatId, message.source.chatType);
    if (textAt(fieldsAt(event, "message"), "message_type") !== "merge_forward")
      return void (await ports.admit(message));
    const answer = await api.rest(`/im/v1/messages/${encodeURIComponent(message.messageId ?? "")}`, { signal });
    await ports.admit({ ...message, text: forwardedWords(listAt(answer, "items")), untrusted: "forwarded messages" });
  }

  /** Only what stands under our own messages is told. */
  async #takeReaction(
    event: Fields,
    about: { readonly word: "added" | "removed"; readonly id: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { ports, rules, api } = this.#deps;
    const person = fieldsAt(event, "user_id");
    const messageId = textAt(event, "message_id");
    if (textAt(event, "operator_type") !== "user" || idsOf(person).length === 0 || messageId === "") return;
    const answer = await api.rest(`/im/v1/messages/${encodeURIComponent(messageId)}`, { signal });
    const [message = {}] = listAt(answer, "items");
    if (textAt(fieldsAt(message, "sender"), "id") !== rules.appId) return;
    const chatId = textAt(message, "chat_id");
    await ports.admit({
      source: { ...sourceOf(person, rules), chatId, chatType: await this.#typeOf(chatId, signal) },
      text: `reaction:${about.word}:${textAt(fieldsAt(event, "reaction_type"), "emoji_type")}`,
      messageId,
      dedupKey: `feishu:${rules.appId}:${about.id}`,
      atMs: Number(textAt(event, "action_time")) || 0,
      attachments: [],
    });
  }

  /** A button of ours is a press; one of another card is told as words, twice within a while as once. */
  async #takeClick(event: Fields, header: Fields, signal: AbortSignal): Promise<Fields> {
    const { ports, rules } = this.#deps;
    const [person, context] = [fieldsAt(event, "operator"), fieldsAt(event, "context")];
    const [messageId, chatId] = [textAt(context, "open_message_id"), textAt(context, "open_chat_id")];
    const value = fieldsAt(event, "action")["value"];
    if (messageId === "" || chatId === "" || idsOf(person).length === 0) return {};
    const source = { ...sourceOf(person, rules), chatId, chatType: await this.#typeOf(chatId, signal) };
    const data = isRecord(value) ? textAt(value, "hermes_action") : "";
    if (data !== "") {
      const dedupKey = `feishu:${rules.appId}:${textAt(header, "event_id")}`;
      const content = await ports.press({ source, dedupKey, messageId, data });
      return { toast: { type: "info", content } };
    }
    const atMs = Math.floor(Number(textAt(header, "create_time")) / 1000) || ports.clock.now();
    const click = JSON.stringify([messageId, source.userId, value, Math.floor(atMs / sameClickMs)]);
    await ports.admit({
      source,
      text: `/card button ${JSON.stringify(value ?? {})}`,
      messageId,
      dedupKey: `feishu:${rules.appId}:click:${createHash("sha256").update(click).digest("hex")}`,
      atMs,
      attachments: [],
    });
    return {};
  }

  async #typeOf(chatId: string, signal: AbortSignal): Promise<ChatType> {
    const known = this.#chatTypes.get(chatId);
    if (known !== undefined) return known;
    const chat = await this.#deps.api.rest(`/im/v1/chats/${encodeURIComponent(chatId)}`, { signal });
    const type: ChatType = textAt(chat, "chat_mode") === "p2p" ? "dm" : "group";
    this.#chatTypes.set(chatId, type);
    return type;
  }
}
