import { type Fields, fieldsAt, textAt } from "../../support/fields.ts";
import { userOf, withoutDevice } from "../bridge/api.ts";

export interface Received {
  /** As `/messages` of the bridge gives it. */
  readonly message: Fields;
  /** The file that came with it, by the id the gateway asks for. */
  readonly mediaId: string | undefined;
}

/** Messages inside of messages: disappearing ones, ones to look at once, documents with words. */
const wrappers = [
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "viewOnceMessageV2Extension",
  "documentWithCaptionMessage",
];
const files: Readonly<Record<string, string>> = {
  imageMessage: "image",
  videoMessage: "video",
  audioMessage: "audio",
  documentMessage: "document",
  stickerMessage: "sticker",
};

/** A message of WhatsApp in the language of the bridge; nothing for what says nothing: receipts, reactions, keys. */
export function readReceived(event: Fields, accountId: string): Received | undefined {
  const key = fieldsAt(event, "key");
  const [id, chatId] = [textAt(key, "id"), textAt(key, "remoteJid")];
  const content = unwrapped(fieldsAt(event, "message"));
  const fileName = Object.keys(files).find((name) => name in content);
  const file = fieldsAt(content, fileName ?? "");
  const text = wordsOf(content, file);
  if (id === "" || chatId === "" || (text === "" && fileName === undefined)) return undefined;
  const isFromMe = key["fromMe"] === true;
  const senderId = textAt(key, "participant") || (isFromMe ? accountId : chatId);
  const mediaId = fileName === undefined ? undefined : `${userOf(chatId)}-${id}`;
  return {
    message: {
      id,
      chatId,
      senderId,
      fromMe: isFromMe,
      timestamp: Number(String(event["messageTimestamp"] ?? 0)),
      text,
      ...phoneOf(key, senderId),
      ...(textAt(event, "pushName") === "" || isFromMe ? {} : { senderName: textAt(event, "pushName") }),
      ...contextOf(content, chatId),
      ...(mediaId === undefined ? {} : { media: [mediaOf(mediaId, fileName ?? "", file)] }),
    },
    mediaId,
  };
}

function unwrapped(message: Fields): Fields {
  let content = message;
  for (let depth = 0; depth < wrappers.length; depth += 1) {
    const wrapper = wrappers.find((name) => name in content);
    if (wrapper === undefined) return content;
    content = fieldsAt(fieldsAt(content, wrapper), "message");
  }
  return content;
}

function wordsOf(content: Fields, file: Fields): string {
  const words = textAt(content, "conversation") || textAt(fieldsAt(content, "extendedTextMessage"), "text");
  if (words !== "") return words;
  const location = fieldsAt(content, "locationMessage");
  if (location["degreesLatitude"] !== undefined)
    return `[Location] ${[textAt(location, "name"), `${textAt(location, "degreesLatitude")}, ${textAt(location, "degreesLongitude")}`].filter(Boolean).join(": ")}`;
  const contact = fieldsAt(content, "contactMessage");
  if (textAt(contact, "vcard") !== "")
    return `[Contact] ${textAt(contact, "displayName")}\n${textAt(contact, "vcard")}`;
  return textAt(file, "caption");
}

/** Behind a hidden id WhatsApp names the number beside it. */
function phoneOf(key: Fields, senderId: string): Fields {
  if (!senderId.endsWith("@lid")) return {};
  const other = [textAt(key, "participantAlt"), textAt(key, "remoteJidAlt")].find((id) =>
    id.endsWith("@s.whatsapp.net"),
  );
  return other === undefined ? {} : { senderPhone: userOf(other) };
}

/** Who is named, and what is replied to. */
function contextOf(content: Fields, chatId: string): Fields {
  const found = Object.values(content)
    .map((one) => (typeof one === "object" && one !== null ? fieldsAt(one as Fields, "contextInfo") : {}))
    .find((one) => Object.keys(one).length > 0);
  if (found === undefined) return {};
  const mentions = Array.isArray(found["mentionedJid"]) ? found["mentionedJid"].map(String) : [];
  const quotedId = textAt(found, "stanzaId");
  const quoted = unwrapped(fieldsAt(found, "quotedMessage"));
  const quotedFile = fieldsAt(quoted, Object.keys(files).find((name) => name in quoted) ?? "");
  return {
    ...(mentions.length === 0 ? {} : { mentions }),
    ...(quotedId === ""
      ? {}
      : {
          quoted: {
            id: quotedId,
            senderId: withoutDevice(textAt(found, "participant")) || chatId,
            text: wordsOf(quoted, quotedFile),
          },
        }),
  };
}

function mediaOf(id: string, name: string, file: Fields): Fields {
  const isVoice = name === "audioMessage" && file["ptt"] === true;
  const size = Number(String(file["fileLength"] ?? Number.NaN));
  return {
    id,
    type: isVoice ? "voice" : files[name],
    ...(textAt(file, "mimetype") === "" ? {} : { mime: textAt(file, "mimetype") }),
    ...(textAt(file, "fileName") === "" ? {} : { name: textAt(file, "fileName") }),
    ...(Number.isFinite(size) ? { size } : {}),
  };
}
