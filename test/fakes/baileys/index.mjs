// Stands in for the package baileys in a home of a test: events come from, and messages go to, a server of the test.
import { EventEmitter } from "node:events";

const server = process.env["FAKE_WHATSAPP_URL"];

export const BufferJSON = { replacer: (_key, value) => value, reviver: (_key, value) => value };
export const proto = { Message: { AppStateSyncKeyData: { fromObject: (fields) => fields } } };
export const initAuthCreds = () => ({ registered: false });

export function makeWASocket() {
  const ev = new EventEmitter();
  const socket = {
    ev,
    user: undefined,
    sendPresenceUpdate: async () => undefined,
    updateMediaMessage: async (message) => message,
    requestPairingCode: async () => "ABCD1234",
    async sendMessage(chat, content, options) {
      await fetch(`${server}/sent`, { method: "POST", body: JSON.stringify({ chat, content, id: options.messageId }) });
      return { key: { id: options.messageId, remoteJid: chat, fromMe: true }, message: content };
    },
    end: () => undefined,
  };
  void follow(socket).catch(() => undefined);
  return socket;
}

async function follow(socket) {
  const answer = await fetch(`${server}/events`);
  let text = "";
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      const { event, data, user } = JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
      if (user !== undefined) socket.user = user;
      socket.ev.emit(event, data);
    }
  }
}

export async function downloadMediaMessage(message) {
  const answer = await fetch(`${server}/file/${message.key.id}`);
  return answer.body;
}
