import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import path from "node:path";
import type { Button, Destination, Outbound, SendResult } from "../../platform/outbound.ts";
import type { SendContext } from "../../platform/platform.ts";
import { type DiscordApi, DiscordError, failureOf } from "./api.ts";

export interface DiscordSending {
  readonly api: DiscordApi;
  readonly allowedMentions: Readonly<Record<string, unknown>>;
}

const longest = 2000;
/** The message that is answered is gone, or cannot be referred to. */
const badReference: ReadonlySet<number> = new Set([10_008, 50_035]);

export async function sendToDiscord(
  to: Destination,
  message: Outbound,
  at: DiscordSending & SendContext,
): Promise<SendResult> {
  try {
    return { kind: "sent", messageId: await attempt(to, message, at) };
  } catch (error) {
    const isReferring = message.kind !== "edit" && message.replyTo !== undefined;
    if (isReferring && error instanceof DiscordError && badReference.has(error.code))
      return await sendToDiscord(to, { ...message, replyTo: undefined }, at);
    return failureOf(error);
  }
}

async function attempt(
  to: Destination,
  message: Outbound,
  { api, allowedMentions, key, signal }: DiscordSending & SendContext,
): Promise<string> {
  const channel = `/channels/${to.threadId ?? to.chatId}/messages`;
  const common = { allowed_mentions: allowedMentions };
  if (message.kind === "edit") {
    const body = { ...common, content: message.body.text.slice(0, longest), components: rows(message.buttons ?? []) };
    await api({ method: "PATCH", path: `${channel}/${message.messageId}`, body }, signal);
    return message.messageId;
  }
  const body = {
    ...common,
    // Within a few minutes Discord gives back the message of the same nonce instead of posting another.
    nonce: nonceOf(key),
    enforce_nonce: true,
    ...(message.replyTo === undefined
      ? {}
      : { message_reference: { message_id: message.replyTo, fail_if_not_exists: false } }),
  };
  if (message.kind === "text") {
    const components = message.buttons === undefined ? {} : { components: rows(message.buttons) };
    const sent = await api<{ id: string }>(
      { method: "POST", path: channel, body: { ...body, content: message.body.text, ...components } },
      signal,
    );
    return sent.id;
  }
  const form = new FormData();
  form.set("payload_json", JSON.stringify({ ...body, content: message.caption?.text ?? "" }));
  form.set("files[0]", await openAsBlob(message.file), path.basename(message.name));
  return (await api<{ id: string }>({ method: "POST", path: channel, form }, signal)).id;
}

function nonceOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 24);
}

const styles = { normal: 2, primary: 1, danger: 4 } as const;

function rows(buttons: readonly (readonly Button[])[]) {
  return buttons.map((row) => ({
    type: 1,
    components: row.map(({ label, data, style = "normal" }) => ({
      type: 2,
      label,
      custom_id: data,
      style: styles[style],
    })),
  }));
}
