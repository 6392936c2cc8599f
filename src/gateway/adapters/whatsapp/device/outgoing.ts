import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { type Fields, textAt } from "../../support/fields.ts";
import { CallRefused } from "./call-refused.ts";

const chatForm = /^[\d-]+@(?:s\.whatsapp\.net|g\.us|lid)$/u;
const longestText = 4096;
const largestFile = 100 * 1024 * 1024;
const soundTypes: Readonly<Record<string, string>> = {
  ".ogg": "audio/ogg; codecs=opus",
  ".opus": "audio/ogg; codecs=opus",
  ".m4a": "audio/mp4",
  ".wav": "audio/wav",
};

export interface Sending {
  readonly chatId: string;
  readonly key: string;
  readonly isEdit: boolean;
  /** As Baileys takes it. */
  readonly content: Fields;
  /** Words beside a file that carries none: sounds and stickers. */
  readonly after: string | undefined;
  readonly replyTo: string;
}

/** The same key is the same message: phones show a message of a known id once. */
export function messageIdOf(key: string): string {
  return `3EB0${createHash("sha256").update(key).digest("hex").slice(0, 18).toUpperCase()}`;
}

export function chatIn(call: Fields): string {
  const chatId = textAt(call, "chatId");
  if (!chatForm.test(chatId)) throw new CallRefused(404, "no such chat");
  return chatId;
}

/** A call of the gateway as what Baileys sends; refused where WhatsApp would refuse it. */
export function readSending(kind: "/send" | "/send-media" | "/edit", call: Fields): Sending {
  const chatId = chatIn(call);
  const key = textAt(call, "key");
  if (key === "") throw new CallRefused(400, "no key");
  const text = textAt(call, kind === "/send-media" ? "caption" : "text");
  if (text.length > longestText) throw new CallRefused(413, "too long");
  if (kind !== "/send-media" && text === "") throw new CallRefused(400, "no text");
  const content = kind === "/send-media" ? fileOf(call, text) : wordsOf(kind, { chatId, text, id: textAt(call, "id") });
  const isMute = kind === "/send-media" && text !== "" && content["caption"] === undefined;
  return {
    chatId,
    // An answer grows by edits that have one key: each text of it is an edit of its own.
    key: kind === "/edit" ? `${key}\n${text}` : key,
    isEdit: kind === "/edit",
    content,
    after: isMute ? text : undefined,
    replyTo: textAt(call, "replyTo"),
  };
}

function wordsOf(
  kind: "/send" | "/edit",
  { chatId, text, id }: { readonly chatId: string; readonly text: string; readonly id: string },
): Fields {
  // No preview: nothing is fetched from addresses that an answer names.
  if (kind === "/send") return { text, linkPreview: null };
  if (id === "") throw new CallRefused(404, "no such message");
  return { text, linkPreview: null, edit: { remoteJid: chatId, fromMe: true, id } };
}

function fileOf(call: Fields, caption: string): Fields {
  const file = textAt(call, "path");
  const found = path.isAbsolute(file) ? statSync(file, { throwIfNoEntry: false }) : undefined;
  if (found?.isFile() !== true) throw new CallRefused(404, "no such file");
  if (found.size > largestFile) throw new CallRefused(413, "the file is too large");
  const url = { url: file };
  const words = caption === "" ? {} : { caption };
  const sound = soundTypes[path.extname(file).toLowerCase()] ?? "audio/mpeg";
  switch (textAt(call, "type")) {
    case "image":
      return { image: url, ...words };
    case "video":
      return { video: url, ...words };
    case "audio":
      return { audio: url, mimetype: sound };
    case "voice":
      return { audio: url, mimetype: "audio/ogg; codecs=opus", ptt: true };
    case "sticker":
      return { sticker: url };
    default: {
      const fileName = textAt(call, "name") || path.basename(file);
      return { document: url, fileName, mimetype: "application/octet-stream", ...words };
    }
  }
}
