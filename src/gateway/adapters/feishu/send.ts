import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import path from "node:path";
import type { Destination, Outbound, SendResult } from "../../platform/outbound.ts";
import type { SendContext } from "../../platform/platform.ts";
import { type Fields, textAt } from "../support/fields.ts";
import { failureOf, ServiceError } from "../support/service-error.ts";
import type { FeishuApi } from "./api.ts";
import { cardOf } from "./cards.ts";
import { replyToComment } from "./comments.ts";

const goneTargets = new Set(["230011", "231003"]);
/** It is not of a kind that this call can change. */
const otherKind = new Set(["230054", "230001", "230099"]);
const longestKey = 50;

type Text = Extract<Outbound, { readonly kind: "text" }>;

export interface FeishuSending extends SendContext {
  readonly api: FeishuApi;
}

/** Our key goes along as `uuid`: Feishu makes one message of it, however often it is sent within the hour. */
export async function sendToFeishu(to: Destination, message: Outbound, at: FeishuSending): Promise<SendResult> {
  try {
    if (message.kind === "edit") {
      await change(message, at);
      return { kind: "sent", messageId: message.messageId };
    }
    if (to.chatId.startsWith("doc:")) return await replyToComment(to.chatId, message, at);
    const content = message.kind === "text" ? contentOf(message, at.isGrowing === true) : await uploaded(message, at);
    const sent = await put(to, { ...content, replyTo: message.replyTo, key: at.key }, at);
    if (message.kind === "media" && message.caption !== undefined) {
      const caption = contentOf({ kind: "text", body: message.caption }, false);
      await put(to, { ...caption, replyTo: undefined, key: `${at.key}:caption` }, at);
    }
    return { kind: "sent", messageId: sent };
  } catch (error) {
    return failureOf(error);
  }
}

interface Content {
  readonly msg_type: string;
  readonly content: string;
}

/** Rich text; a card where there are buttons or more is to come, for rich text may be changed twenty times only. */
function contentOf({ body, buttons }: Text, isGrowing: boolean): Content {
  const of = (msg_type: string, content: Fields): Content => ({ msg_type, content: JSON.stringify(content) });
  if (buttons !== undefined || isGrowing) return of("interactive", cardOf(body.text, buttons));
  if (body.text === body.plain) return of("text", { text: body.plain });
  return of("post", { zh_cn: { content: [[{ tag: "md", text: body.text }]] } });
}

async function put(
  { chatId, threadId }: Destination,
  message: Content & { readonly replyTo: string | undefined; readonly key: string },
  { api, signal }: FeishuSending,
): Promise<string> {
  const { replyTo = threadId, key, ...content } = message;
  const uuid = key.length <= longestKey ? key : createHash("sha256").update(key).digest("hex").slice(0, longestKey);
  if (replyTo !== undefined)
    try {
      const body = { ...content, uuid, reply_in_thread: threadId !== undefined };
      const at = `/im/v1/messages/${encodeURIComponent(replyTo)}/reply`;
      return textAt(await api.rest(at, { body, signal }), "message_id");
    } catch (error) {
      // What it answers is gone: then it stands by itself.
      if (!(error instanceof ServiceError) || !goneTargets.has(error.code)) throw error;
    }
  const body = { ...content, uuid, receive_id: chatId };
  const answer = await api.rest(`/im/v1/messages?receive_id_type=${kindOfId(chatId)}`, { body, signal });
  return textAt(answer, "message_id");
}

function kindOfId(id: string): string {
  if (/^(?:oc_|chat_)/u.test(id)) return "chat_id";
  if (/^(?:ou_|open_)/u.test(id)) return "open_id";
  if (id.startsWith("on_")) return "union_id";
  return id.includes("@") ? "email" : "user_id";
}

/** A card is changed in one way and a text in another; which it is, the service knows. */
async function change(
  { messageId, body, buttons }: Extract<Outbound, { readonly kind: "edit" }>,
  { api, signal }: FeishuSending,
): Promise<void> {
  const at = `/im/v1/messages/${encodeURIComponent(messageId)}`;
  const card = { content: JSON.stringify(cardOf(body.text, buttons)) };
  try {
    await api.rest(at, { method: "PATCH", body: card, signal });
  } catch (error) {
    if (buttons !== undefined || !(error instanceof ServiceError) || !otherKind.has(error.code)) throw error;
    await api.rest(at, { method: "PUT", body: { ...contentOf({ kind: "text", body }, false) }, signal });
  }
}

async function uploaded(
  { media, file, name }: Extract<Outbound, { readonly kind: "media" }>,
  { api, signal }: FeishuSending,
): Promise<Content> {
  const blob = await openAsBlob(file);
  const form = new FormData();
  const shown = path.basename(name);
  if (media === "image" || media === "animation" || media === "sticker") {
    form.set("image_type", "message");
    form.set("image", blob, shown);
    const answer = await api.rest("/im/v1/images", { body: form, signal });
    return { msg_type: "image", content: JSON.stringify({ image_key: textAt(answer, "image_key") }) };
  }
  const kind = fileKind(path.extname(shown).slice(1).toLowerCase());
  form.set("file_type", kind);
  form.set("file_name", shown);
  form.set("file", blob, shown);
  const answer = await api.rest("/im/v1/files", { body: form, signal });
  const content = JSON.stringify({ file_key: textAt(answer, "file_key") });
  // Only Opus is heard as a voice, and only MP4 is seen as a film.
  if (kind === "opus") return { msg_type: "audio", content };
  return { msg_type: kind === "mp4" ? "media" : "file", content };
}

function fileKind(ending: string): string {
  if (ending === "opus" || ending === "ogg") return "opus";
  if (ending === "mp4" || ending === "pdf") return ending;
  const [, office] = /^(doc|xls|ppt)x?$/u.exec(ending) ?? [];
  return office ?? "stream";
}
