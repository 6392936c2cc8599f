import { openAsBlob } from "node:fs";
import path from "node:path";
import type {
  Button,
  Destination,
  Outbound,
  RenderedText,
  SendErrorClass,
  SendResult,
} from "../../platform/outbound.ts";
import { neverLeft } from "../support/never-left.ts";
import { type TelegramApi, TelegramError } from "./api.ts";

export interface TelegramSending {
  readonly api: TelegramApi;
  readonly hidesLinkPreviews: boolean;
}

interface Sent {
  readonly message_id: number;
}

/** The forum's own first topic is not named when sending. */
const generalTopic = "1";
const maxCaption = 1024;

const methods = {
  image: ["sendPhoto", "photo"],
  animation: ["sendAnimation", "animation"],
  video: ["sendVideo", "video"],
  audio: ["sendAudio", "audio"],
  voice: ["sendVoice", "voice"],
  document: ["sendDocument", "document"],
  sticker: ["sendDocument", "document"],
} as const;

export async function sendToTelegram(
  to: Destination,
  message: Outbound,
  { sending, signal }: { readonly sending: TelegramSending; readonly signal: AbortSignal },
): Promise<SendResult> {
  try {
    const messageId = await attempt(to, message, { sending, signal });
    return { kind: "sent", messageId };
  } catch (error) {
    const failure = failureOf(error);
    if (failure.message.includes("message is not modified") && message.kind === "edit")
      return { kind: "sent", messageId: message.messageId };
    // The topic is gone: better in the chat than not at all.
    if (failure.message.includes("message thread not found") && to.threadId !== undefined)
      return await sendToTelegram({ ...to, threadId: undefined }, message, { sending, signal });
    // What is not accepted as a photo is a file like any other.
    if (failure.errorClass === "format" && message.kind === "media" && message.media === "image")
      return await sendToTelegram(to, { ...message, media: "document" }, { sending, signal });
    return failure;
  }
}

async function attempt(
  to: Destination,
  message: Outbound,
  { sending, signal }: { readonly sending: TelegramSending; readonly signal: AbortSignal },
): Promise<string> {
  const { api } = sending;
  const inThread =
    to.threadId === undefined || to.threadId === generalTopic ? {} : { message_thread_id: Number(to.threadId) };
  if (message.kind === "edit") {
    const { messageId, body, buttons } = message;
    const edited = { chat_id: to.chatId, message_id: Number(messageId), text: body.text };
    await api("editMessageText", { ...edited, ...markup(body), ...keyboard(buttons) }, signal);
    return messageId;
  }
  const common = { ...inThread, ...replying(message.replyTo) };
  if (message.kind === "text") {
    const text = {
      chat_id: to.chatId,
      text: message.body.text,
      ...common,
      ...markup(message.body),
      ...keyboard(message.buttons),
      ...(sending.hidesLinkPreviews ? { link_preview_options: { is_disabled: true } } : {}),
    };
    return String((await api<Sent>("sendMessage", text, signal)).message_id);
  }
  const [method, field] = methods[message.media];
  const form = new FormData();
  form.set("chat_id", to.chatId);
  for (const [name, value] of Object.entries(common)) form.set(name, JSON.stringify(value));
  const { caption } = message;
  const fits = caption !== undefined && caption.text.length <= maxCaption;
  if (fits)
    for (const [name, value] of Object.entries({ caption: caption.text, ...markup(caption) })) form.set(name, value);
  form.set(field, await openAsBlob(message.file), path.basename(message.name));
  const sent = await api<Sent>(method, form, signal);
  if (caption !== undefined && !fits)
    await api("sendMessage", { chat_id: to.chatId, text: caption.text, ...inThread, ...markup(caption) }, signal);
  return String(sent.message_id);
}

/** A text that equals its plain form needs no markup, and is what is sent when markup was refused. */
function markup({ text, plain }: RenderedText): { parse_mode: "MarkdownV2" } | Record<string, never> {
  return text === plain ? {} : { parse_mode: "MarkdownV2" };
}

function replying(messageId: string | undefined) {
  if (messageId === undefined) return {};
  return { reply_parameters: { message_id: Number(messageId), allow_sending_without_reply: true } };
}

function keyboard(rows: readonly (readonly Button[])[] | undefined) {
  if (rows === undefined) return {};
  const inline = rows.map((row) => row.map(({ label, data }) => ({ text: label, callback_data: data })));
  return { reply_markup: { inline_keyboard: inline } };
}

/** What Telegram's answer, or its absence, means. */
export function failureOf(error: unknown): Extract<SendResult, { readonly kind: "failed" }> {
  const failed = (errorClass: SendErrorClass, message: string, retryAfterMs?: number) =>
    ({ kind: "failed", errorClass, message, retryAfterMs }) as const;
  if (error instanceof TelegramError) {
    const { code, message } = error;
    if (code === 429) return failed("rate-limited", message, error.retryAfterMs ?? 1000);
    if (code === 401) return failed("auth", message);
    if (code === 403) return failed("permission", message);
    if (/too long|too large|too big/iu.test(message)) return failed("too-large", message);
    if (/not found/iu.test(message)) return failed("not-found", message);
    return failed(code >= 500 ? "network" : "format", message);
  }
  // It may have left before the connection broke.
  return failed(neverLeft(error) ? "network" : "timeout", error instanceof Error ? error.message : "no answer");
}
