import { openAsBlob } from "node:fs";
import path from "node:path";
import type { Button, Destination, Outbound, SendResult } from "../../platform/outbound.ts";
import type { SendContext } from "../../platform/platform.ts";
import { type Fields, listAt, textAt } from "../support/fields.ts";
import type { Rest } from "../support/rest.ts";
import { failureOf, ServiceError } from "../support/service-error.ts";

export interface WhatsAppSending extends SendContext {
  readonly rest: Rest;
  /** Name of the template that may be sent at any time, with its language after a colon. */
  readonly template: string;
}

type MediaMessage = Extract<Outbound, { readonly kind: "media" }>;

/** Nobody wrote to us for a day: only a template may be sent. */
const outsideWindow = "131047";
const longestButtonText = 1024;
const longestTitle = 20;
const longestRow = 24;
const mostButtons = 3;
const mostRows = 10;

export async function sendToWhatsApp(to: Destination, message: Outbound, at: WhatsAppSending): Promise<SendResult> {
  if (message.kind === "edit")
    return { kind: "failed", errorClass: "unknown", message: "WhatsApp's messages stay as they are" };
  try {
    if (message.kind === "text" && message.buttons !== undefined)
      return await sendButtons(to, message.body.text, { ...at, buttons: message.buttons.flat() });
    const content = message.kind === "text" ? words(message.body.text) : await file(message, at);
    const about = message.replyTo === undefined ? {} : { context: { message_id: message.replyTo } };
    return await post(to, { ...content, ...about }, at);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== outsideWindow) return failureOf(error);
    return await sendTemplate(to, message, at);
  }
}

function words(body: string): Fields {
  return { type: "text", text: { body, preview_url: true } };
}

async function post(to: Destination, content: Fields, { rest, signal }: WhatsAppSending): Promise<SendResult> {
  const body = { messaging_product: "whatsapp", recipient_type: "individual", to: to.chatId, ...content };
  const [sent = {}] = listAt(await rest("/messages", { body, signal }), "messages");
  return { kind: "sent", messageId: textAt(sent, "id") || undefined };
}

/** Three buttons, or else a list. A text that is too long for them stands before them. */
async function sendButtons(
  to: Destination,
  text: string,
  at: WhatsAppSending & { readonly buttons: readonly Button[] },
): Promise<SendResult> {
  const isLong = text.length > longestButtonText;
  if (isLong) await post(to, words(text), at);
  const body = { text: isLong ? "Please choose." : text };
  const { buttons } = at;
  // What counts for ever is not a matter of one press: it can be written.
  const brief = buttons.length > mostButtons ? buttons.filter(({ label }) => !/^always/iu.test(label)) : buttons;
  if (brief.length <= mostButtons) {
    const shown = brief.map(({ label, data }) => ({
      type: "reply",
      reply: { id: data, title: shortened(label, longestTitle) },
    }));
    return await post(
      to,
      { type: "interactive", interactive: { type: "button", body, action: { buttons: shown } } },
      at,
    );
  }
  const rows = buttons.slice(0, mostRows).map(({ label, data }) => ({ id: data, title: shortened(label, longestRow) }));
  const action = { button: "Choose", sections: [{ title: "Answers", rows }] };
  return await post(to, { type: "interactive", interactive: { type: "list", body, action } }, at);
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

const pictures = /\.(?:jpe?g|png)$/iu;
const sounds = /\.(?:aac|amr|mp3|m4a|ogg|opus)$/iu;
const films = /\.(?:mp4|3gp)$/iu;

/** WhatsApp shows few kinds of pictures, sounds and films; everything else is a document. */
function typeOf({ media, name }: MediaMessage): "image" | "audio" | "video" | "document" {
  if (media === "image" && pictures.test(name)) return "image";
  if ((media === "audio" || media === "voice") && sounds.test(name)) return "audio";
  return media === "video" && films.test(name) ? "video" : "document";
}

const mimeTypes: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  aac: "audio/aac",
  amr: "audio/amr",
  mp4: "video/mp4",
  "3gp": "video/3gpp",
  pdf: "application/pdf",
};

async function file(message: MediaMessage, { rest, signal }: WhatsAppSending): Promise<Fields> {
  const name = path.basename(message.name);
  const mimeType = mimeTypes[path.extname(name).slice(1).toLowerCase()] ?? "text/plain";
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("type", mimeType);
  form.set("file", await openAsBlob(message.file, { type: mimeType }), name);
  const id = textAt(await rest("/media", { body: form, signal }), "id");
  const type = typeOf(message);
  const caption = type === "audio" || message.caption === undefined ? {} : { caption: message.caption.text };
  return { type, [type]: { id, ...caption, ...(type === "document" ? { filename: name } : {}) } };
}

async function sendTemplate(to: Destination, message: Outbound, at: WhatsAppSending): Promise<SendResult> {
  const [name = "", code = "en"] = at.template.split(":");
  if (name === "")
    return {
      kind: "failed",
      errorClass: "permission",
      message: "outside_window: nobody wrote for 24 hours, and whatsapp.template is not set",
    };
  const body = message.kind === "media" ? message.caption?.plain : message.body.plain;
  const text = (body ?? "A file is ready.").replaceAll(/\s+/gu, " ").slice(0, longestButtonText);
  const components = [{ type: "body", parameters: [{ type: "text", text }] }];
  try {
    return await post(to, { type: "template", template: { name, language: { code }, components } }, at);
  } catch (error) {
    return failureOf(error);
  }
}
