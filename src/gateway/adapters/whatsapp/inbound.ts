import type { Attachment, ButtonPress, InboundMessage, MediaKind, MessageSource } from "../../platform/inbound.ts";
import { type Fields, fieldsAt, listAt, textAt } from "../support/fields.ts";

/** What one call of Meta brings for our number. */
export type WhatsAppEvent =
  | { readonly kind: "message"; readonly message: InboundMessage }
  | { readonly kind: "press"; readonly press: ButtonPress };

/** Calls for other numbers of the app, and reports about our own messages, hold nothing. */
export function readCall(call: Fields, numberId: string): readonly WhatsAppEvent[] {
  const values = listAt(call, "entry")
    .flatMap((entry) => listAt(entry, "changes"))
    .map((change) => fieldsAt(change, "value"))
    .filter((value) => textAt(fieldsAt(value, "metadata"), "phone_number_id") === numberId);
  return values.flatMap((value) =>
    listAt(value, "messages").flatMap((message) => {
      const contact = listAt(value, "contacts").find((one) => one["wa_id"] === message["from"]) ?? {};
      const read = readMessage(message, textAt(fieldsAt(contact, "profile"), "name"), numberId);
      return read === undefined ? [] : [read];
    }),
  );
}

function readMessage(message: Fields, userName: string, numberId: string): WhatsAppEvent | undefined {
  const [id, from] = [textAt(message, "id"), textAt(message, "from")];
  if (id === "" || from === "") return undefined;
  const source: MessageSource = {
    platform: "whatsapp",
    account: numberId,
    chatId: from,
    chatType: "dm",
    userId: from,
    userName: userName || undefined,
  };
  const dedupKey = `whatsapp:${numberId}:${id}`;
  const context = textAt(fieldsAt(message, "context"), "id");
  const pressed = pressedIn(message);
  if (pressed !== undefined) return { kind: "press", press: { source, dedupKey, messageId: context, data: pressed } };
  const text = wordsOf(message);
  const attachments = fileOf(message);
  if (text === "" && attachments.length === 0) return undefined;
  return {
    kind: "message",
    message: {
      source,
      text,
      messageId: id,
      dedupKey,
      atMs: Number(textAt(message, "timestamp")) * 1000 || 0,
      attachments,
      replyTo: context === "" ? undefined : { messageId: context },
    },
  };
}

/** What the chosen button or row carried. */
function pressedIn(message: Fields): string | undefined {
  const interactive = fieldsAt(message, "interactive");
  const reply = { ...fieldsAt(interactive, "button_reply"), ...fieldsAt(interactive, "list_reply") };
  return textAt(reply, "id") || undefined;
}

function wordsOf(message: Fields): string {
  const type = textAt(message, "type");
  const content = fieldsAt(message, type);
  if (type === "text") return textAt(content, "body").trim();
  if (type === "button") return textAt(content, "text");
  if (type === "location") {
    const named = [textAt(content, "name"), textAt(content, "address")].filter(Boolean).join(", ");
    return `[Location: ${textAt(content, "latitude")}, ${textAt(content, "longitude")}${named === "" ? "" : ` (${named})`}]`;
  }
  if (type === "contacts")
    return listAt(message, "contacts")
      .map((one) => {
        const phones = listAt(one, "phones").map((phone) => textAt(phone, "phone"));
        return `[Contact: ${[textAt(fieldsAt(one, "name"), "formatted_name"), ...phones].join(", ")}]`;
      })
      .join("\n");
  return textAt(content, "caption").trim();
}

const kinds: Readonly<Record<string, MediaKind>> = {
  image: "image",
  audio: "audio",
  video: "video",
  document: "document",
  sticker: "sticker",
};

function fileOf(message: Fields): readonly Attachment[] {
  const type = textAt(message, "type");
  const file = fieldsAt(message, type);
  const kind = kinds[type];
  if (kind === undefined || textAt(file, "id") === "") return [];
  return [
    {
      kind: kind === "audio" && file["voice"] === true ? "voice" : kind,
      ref: { mediaId: textAt(file, "id") },
      name: textAt(file, "filename") || undefined,
      mimeType: textAt(file, "mime_type") || undefined,
    },
  ];
}
