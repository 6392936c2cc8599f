import { openAsBlob } from "node:fs";
import path from "node:path";
import { defined } from "#foundation/defined";
import type { Destination, Outbound, Reconciled, SendResult } from "../../platform/outbound.ts";
import type { SendContext } from "../../platform/platform.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import type { Rest } from "../support/rest.ts";
import { failureOf } from "../support/service-error.ts";

export interface MattermostSending extends SendContext {
  readonly rest: Rest;
  readonly userId: string;
}

export async function sendToMattermost(to: Destination, message: Outbound, at: MattermostSending): Promise<SendResult> {
  const { rest, signal } = at;
  try {
    if (message.kind === "edit") {
      const body = { message: message.body.text };
      await rest(`/posts/${message.messageId}/patch`, { method: "PUT", body, signal });
      return { kind: "sent", messageId: message.messageId };
    }
    const content =
      message.kind === "text"
        ? { message: message.body.text }
        : { message: message.caption?.text ?? "", file_ids: [await upload(to, message, at)] };
    const post = await rest("/posts", { body: { ...content, ...placed(to, at) }, signal });
    return { kind: "sent", messageId: textAt(post, "id") };
  } catch (error) {
    return failureOf(error);
  }
}

/** Mattermost forgets the id of a pending post after half a minute; our key in the post's properties stays. */
function placed({ chatId, threadId }: Destination, { userId, key }: MattermostSending): Fields {
  return {
    channel_id: chatId,
    ...defined({ root_id: threadId }),
    pending_post_id: `${userId}:${key}`,
    props: { hermes_key: key },
  };
}

export async function findInMattermost(
  { chatId }: Destination,
  { rest, key, signal }: MattermostSending,
): Promise<Reconciled> {
  try {
    const answer = await rest(`/channels/${chatId}/posts?per_page=60`, { signal });
    const found = postsOf(answer).find((post) => fieldsAt(post, "props")["hermes_key"] === key);
    return found === undefined ? { kind: "not-sent" } : { kind: "sent", messageId: textAt(found, "id") };
  } catch {
    // Not being able to look is no answer.
    return { kind: "unknown" };
  }
}

/** A list of posts, oldest first. */
export function postsOf(answer: Fields): readonly Fields[] {
  const posts = Object.values(fieldsAt(answer, "posts")) as readonly Fields[];
  return [...posts].sort((one, other) => Number(one["create_at"]) - Number(other["create_at"]));
}

async function upload(
  to: Destination,
  message: Extract<Outbound, { readonly kind: "media" }>,
  { rest, signal }: MattermostSending,
): Promise<string> {
  const form = new FormData();
  form.set("channel_id", to.chatId);
  form.set("files", await openAsBlob(message.file), path.basename(message.name));
  const [file = {}] = listAt(await rest("/files", { body: form, signal }), "file_infos");
  return textAt(file, "id");
}
