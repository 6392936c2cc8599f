import type { InboundMessage } from "../../platform/inbound.ts";
import type { Outbound, SendResult } from "../../platform/outbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import type { FeishuApi } from "./api.ts";
import { type FeishuRules, sourceOf } from "./inbound.ts";
import { idsOf } from "./rules.ts";

const mostContext = { whole: 20, quoted: 12 } as const;

/** A comment that mentions the bot, with what was said around it; the chat is the comment itself. */
export async function readComment(
  event: Fields,
  rules: FeishuRules,
  { api, signal }: { readonly api: FeishuApi; readonly signal: AbortSignal },
): Promise<InboundMessage | undefined> {
  const meta = fieldsAt(event, "notice_meta");
  const at = (name: string): string => textAt(event, name) || textAt(meta, name);
  const [token, type, comment, reply] = [at("file_token"), at("file_type") || "docx", at("comment_id"), at("reply_id")];
  const person = { ...fieldsAt(event, "from_user_id"), ...fieldsAt(meta, "from_user_id") };
  const isMentioned = event["is_mentioned"] === true || meta["is_mentioned"] === true;
  if (token === "" || comment === "" || !isMentioned || idsOf(person).some((id) => rules.own.includes(id)))
    return undefined;
  const path = `/drive/v1/files/${encodeURIComponent(token)}/comments/batch_query?file_type=${encodeURIComponent(type)}`;
  const answer = await api.rest(path, { body: { comment_ids: [comment] }, signal });
  const [found = {}] = listAt(answer, "items");
  const replies = listAt(fieldsAt(found, "reply_list"), "replies");
  const own = replies.find((one) => textAt(one, "reply_id") === reply) ?? replies.at(-1);
  if (own === undefined) return undefined;
  const isWhole = found["is_whole"] === true;
  const before = replies.slice(0, replies.indexOf(own)).slice(isWhole ? -mostContext.whole : -mostContext.quoted);
  const quote = textAt(found, "quote");
  const context = [
    `[Comment in the ${type} document ${token}]`,
    ...(quote === "" ? [] : [`[On the passage: ${quote}]`]),
    ...before.map((one) => `[Earlier: ${wordsOf(one)}]`),
  ];
  return {
    source: {
      ...sourceOf(person, rules),
      chatId: ["doc", type, token, isWhole ? "whole" : comment].join(":"),
      chatType: "channel",
    },
    text: [...context, wordsOf(own)].join("\n"),
    messageId: textAt(own, "reply_id") || comment,
    dedupKey: `feishu:${rules.appId}:${comment}:${textAt(own, "reply_id")}`,
    atMs: Number(at("timestamp")) || 0,
    attachments: [],
    untrusted: "a Feishu document",
  };
}

function wordsOf(reply: Fields): string {
  const elements = listAt(fieldsAt(reply, "content"), "elements");
  return elements
    .map((one) => textAt(fieldsAt(one, "text_run"), "text") || textAt(fieldsAt(one, "docs_link"), "url"))
    .join("")
    .trim();
}

/** A comment on a passage is replied to; what is said about the whole document is answered by a comment of its own. */
export async function replyToComment(
  chatId: string,
  message: Exclude<Outbound, { readonly kind: "edit" }>,
  { api, signal }: { readonly api: FeishuApi; readonly signal: AbortSignal },
): Promise<SendResult> {
  if (message.kind === "media")
    return { kind: "failed", errorClass: "unknown", message: "Feishu documents take words only as comments" };
  const [, type = "docx", token = "", comment = ""] = chatId.split(":");
  const content = { elements: [{ type: "text_run", text_run: { text: message.body.plain } }] };
  const files = `/drive/v1/files/${encodeURIComponent(token)}`;
  const query = `?file_type=${encodeURIComponent(type)}`;
  const answer =
    comment === "whole"
      ? await api.rest(`${files}/comments${query}`, { body: { reply_list: { replies: [{ content }] } }, signal })
      : await api.rest(`${files}/comments/${encodeURIComponent(comment)}/replies${query}`, {
          body: { content },
          signal,
        });
  return { kind: "sent", messageId: textAt(answer, "reply_id") || textAt(answer, "comment_id") || undefined };
}
