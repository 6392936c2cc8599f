import { readFile } from "node:fs/promises";
import path from "node:path";
import { defined } from "#foundation/defined";
import type { Fetch } from "#foundation/http/fetch";
import { isRecord } from "#foundation/text/json";
import type { Button, Destination, Outbound, Reconciled, SendResult } from "../../platform/outbound.ts";
import type { SendContext } from "../../platform/platform.ts";
import { failureOf, type SlackAnswer, type SlackApi } from "./api.ts";

export interface SlackSending {
  readonly api: SlackApi;
  readonly fetch: Fetch;
  readonly broadcasts: boolean;
}

const eventType = "hermes_reply";

export async function sendToSlack(
  to: Destination,
  message: Outbound,
  at: SlackSending & SendContext,
): Promise<SendResult> {
  try {
    if (message.kind === "media") return await upload(to, message, at);
    const shown = { channel: to.chatId, text: message.body.text, ...blocks(message) };
    if (message.kind === "edit") {
      await at.api("chat.update", { ...shown, ts: message.messageId }, at.signal);
      return { kind: "sent", messageId: message.messageId };
    }
    const isFirst = message.replyTo !== undefined;
    const answer = await at.api(
      "chat.postMessage",
      {
        ...shown,
        ...inThread(to),
        ...(at.broadcasts && isFirst && to.threadId !== undefined ? { reply_broadcast: true } : {}),
        mrkdwn: true,
        metadata: { event_type: eventType, event_payload: { key: at.key } },
      },
      at.signal,
    );
    return { kind: "sent", messageId: String(answer["ts"]) };
  } catch (error) {
    return failureOf(error);
  }
}

/** Our key stands in the message's metadata: whether it arrived is read back. */
export async function findInSlack(
  to: Destination,
  { api, key, signal }: SlackSending & SendContext,
): Promise<Reconciled> {
  const where = { channel: to.chatId, include_all_metadata: true, limit: 50 };
  try {
    const answer =
      to.threadId === undefined
        ? await api("conversations.history", where, signal)
        : await api("conversations.replies", { ...where, ts: to.threadId }, signal);
    const messages = Array.isArray(answer["messages"]) ? answer["messages"].filter(isRecord) : [];
    const found = messages.find((message) => keyOf(message) === key);
    return found === undefined ? { kind: "not-sent" } : { kind: "sent", messageId: String(found["ts"]) };
  } catch {
    // Not being able to look is no answer.
    return { kind: "unknown" };
  }
}

function keyOf(message: SlackAnswer): unknown {
  const { metadata } = message;
  const payload = isRecord(metadata) ? metadata["event_payload"] : undefined;
  return isRecord(payload) ? payload["key"] : undefined;
}

async function upload(
  to: Destination,
  message: Extract<Outbound, { readonly kind: "media" }>,
  { api, fetch: send, signal }: SlackSending & SendContext,
): Promise<SendResult> {
  const bytes = await readFile(message.file);
  const filename = path.basename(message.name);
  const asked = await api("files.getUploadURLExternal", { filename, length: bytes.length }, signal);
  const taken = await send(String(asked["upload_url"]), { method: "POST", body: bytes, signal });
  if (!taken.ok)
    return { kind: "failed", errorClass: "network", message: `Slack answered status ${taken.status} to a file` };
  const comment = message.caption === undefined ? {} : { initial_comment: message.caption.text };
  const files = [{ id: asked["file_id"], title: filename }];
  await api("files.completeUploadExternal", { files, channel_id: to.chatId, ...inThread(to), ...comment }, signal);
  return { kind: "sent", messageId: undefined };
}

function inThread({ threadId }: Destination): { readonly thread_ts?: string } {
  return defined({ thread_ts: threadId });
}

function blocks(message: Extract<Outbound, { readonly kind: "text" | "edit" }>): Readonly<Record<string, unknown>> {
  const { buttons, body } = message;
  // An edit without buttons takes away those that were there.
  if (buttons === undefined) return message.kind === "edit" ? { blocks: [] } : {};
  const section = { type: "section", text: { type: "mrkdwn", text: body.text.slice(0, 3000) } };
  return { blocks: [section, ...buttons.map((row) => ({ type: "actions", elements: row.map(element) }))] };
}

function element({ label, data, style }: Button) {
  const look = style === "primary" || style === "danger" ? { style } : {};
  return {
    type: "button",
    text: { type: "plain_text", text: label },
    value: data,
    action_id: `hermes_${data}`.slice(0, 255),
    ...look,
  };
}
