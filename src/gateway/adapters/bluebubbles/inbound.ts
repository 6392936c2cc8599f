import type { InboundMessage } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";
import { kindOfMime } from "../support/media.ts";

/** Hearts and thumbs on a message, and taking them back. */
const isTapback = (type: number): boolean => (type >= 2000 && type <= 2005) || (type >= 3000 && type <= 3005);

/** The message of a call; undefined for our own, for tapbacks, and for everything that is no message. */
export function readCall(call: Fields, account: string): InboundMessage | undefined {
  if (textAt(call, "type") !== "new-message") return undefined;
  const data = fieldsAt(call, "data");
  const guid = textAt(data, "guid");
  const [chat = {}] = listAt(data, "chats");
  const chatId = textAt(chat, "guid") || textAt(data, "chatGuid");
  if (guid === "" || chatId === "" || data["isFromMe"] === true) return undefined;
  if (isTapback(Number(data["associatedMessageType"]))) return undefined;
  const isGroup = chatId.includes(";+;");
  const author = textAt(fieldsAt(data, "handle"), "address") || (isGroup ? "" : (chatId.split(";").at(-1) ?? ""));
  const reply = textAt(data, "threadOriginatorGuid");
  return {
    source: {
      platform: "bluebubbles",
      account,
      chatId,
      chatType: isGroup ? "group" : "dm",
      chatName: textAt(chat, "displayName") || undefined,
      chatIdAlt: textAt(chat, "chatIdentifier") || undefined,
      userId: author || undefined,
    },
    // A file stands in the text as an object replacement character.
    text: textAt(data, "text").replaceAll("\uFFFC", "").trim(),
    messageId: guid,
    dedupKey: `bluebubbles:${account}:${guid}`,
    atMs: Number(data["dateCreated"]) || 0,
    attachments: listAt(data, "attachments").map((file) => ({
      kind: kindOfMime(textAt(file, "mimeType")),
      ref: { guid: textAt(file, "guid") },
      name: textAt(file, "transferName") || undefined,
      mimeType: textAt(file, "mimeType") || undefined,
      bytes: typeof file["totalBytes"] === "number" ? file["totalBytes"] : undefined,
    })),
    replyTo: reply === "" ? undefined : { messageId: reply },
  };
}
