import type { Attachment, InboundMessage } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { kindOfMime } from "../support/media.ts";

export interface SignalRules {
  readonly account: string;
  readonly ignoresStories: boolean;
  /** Groups it takes part in; `*` is all of them. */
  readonly groups: ReadonlySet<string>;
  /** Whether we sent the message with this timestamp. */
  isOurs(timestamp: string): boolean;
}

/** Undefined for what is not meant for us. */
export function readEnvelope(envelope: Fields, rules: SignalRules): InboundMessage | undefined {
  if (rules.ignoresStories && envelope["storyMessage"] !== undefined) return undefined;
  const note = fieldsAt(fieldsAt(envelope, "syncMessage"), "sentMessage");
  const isNoteToSelf = [textAt(note, "destinationNumber"), textAt(note, "destination")].includes(rules.account);
  const data = isNoteToSelf ? note : spoken(envelope);
  const timestamp = textAt(data, "timestamp") || textAt(envelope, "timestamp");
  if (data["message"] === undefined && data["attachments"] === undefined) return undefined;
  // What we write to ourselves comes back as a message.
  if (isNoteToSelf && rules.isOurs(timestamp)) return undefined;
  const number = textAt(envelope, "sourceNumber");
  const uuid = textAt(envelope, "sourceUuid");
  const author = number || uuid || textAt(envelope, "source");
  if (author === "" || (author === rules.account && !isNoteToSelf)) return undefined;
  const groupId = textAt(fieldsAt(data, "groupInfo"), "groupId");
  if (groupId !== "" && !rules.groups.has("*") && !rules.groups.has(groupId) && !rules.groups.has(`group:${groupId}`))
    return undefined;
  const quote = fieldsAt(data, "quote");
  return {
    source: {
      platform: "signal",
      account: rules.account,
      chatId: groupId === "" ? author : `group:${groupId}`,
      chatIdAlt: groupId || undefined,
      chatType: groupId === "" ? "dm" : "group",
      chatName: textAt(fieldsAt(data, "groupInfo"), "groupName") || undefined,
      userId: author,
      userIdAlt: uuid || undefined,
      userName: textAt(envelope, "sourceName") || undefined,
    },
    text: withNames(textAt(data, "message"), listAt(data, "mentions")).trim(),
    messageId: timestamp,
    dedupKey: `signal:${rules.account}:${uuid || author}:${timestamp}`,
    atMs: Number(timestamp) || 0,
    attachments: filesOf(data, groupId === "" ? { recipient: author } : { groupId }),
    replyTo: quote["id"] === undefined ? undefined : { messageId: textAt(quote, "id"), text: textAt(quote, "text") },
  };
}

function spoken(envelope: Fields): Fields {
  const edited = fieldsAt(fieldsAt(envelope, "editMessage"), "dataMessage");
  return Object.keys(edited).length > 0 ? edited : fieldsAt(envelope, "dataMessage");
}

/** Signal puts an object replacement character where somebody is named. */
function withNames(text: string, mentions: readonly Fields[]): string {
  const last = [...mentions].sort((one, other) => Number(other["start"]) - Number(one["start"]));
  return last.reduce((words, mention) => {
    const start = Number(mention["start"]);
    if (words[start] !== "\uFFFC") return words;
    const name = textAt(mention, "name") || textAt(mention, "number") || textAt(mention, "uuid");
    return `${words.slice(0, start)}@${name}${words.slice(start + 1)}`;
  }, text);
}

function filesOf(data: Fields, from: Readonly<Record<string, string>>): readonly Attachment[] {
  return listAt(data, "attachments").map((file) => {
    const mimeType = textAt(file, "contentType");
    return {
      kind: file["isVoiceNote"] === true || file["voiceNote"] === true ? "voice" : kindOfMime(mimeType),
      ref: { id: textAt(file, "id"), ...from },
      name: textAt(file, "filename") || undefined,
      mimeType: mimeType || undefined,
      bytes: typeof file["size"] === "number" ? file["size"] : undefined,
    };
  });
}
