import { EventEmitter } from "node:events";
import { Deferred } from "#foundation/lifecycle/deferred";
import type { Fields } from "./fake-service.ts";

export interface SentByDevice {
  readonly chat: string;
  readonly content: Fields;
  readonly options: Fields;
}

/** The part of Baileys that the bridge uses, without WhatsApp: what the phone and other people do is done by the test. */
export class FakeBaileys {
  readonly sent: SentByDevice[] = [];
  readonly typing: string[] = [];
  readonly configs: Fields[] = [];
  /** Files by the id of their message. */
  readonly files = new Map<string, Buffer>();
  user: { id: string; lid?: string; name?: string } | undefined;
  /** What the next sends meet. */
  readonly troubles: { readonly status: number; readonly isSent: boolean }[] = [];
  #events = new EventEmitter();
  #opened = new Deferred<void>();

  readonly BufferJSON = {
    /** By then JSON has made an object with a list of numbers of the bytes. */
    replacer: (_key: string, value: unknown): unknown =>
      isBytes(value) ? { type: "Buffer", data: Buffer.from(value.data as number[]).toString("base64") } : value,
    reviver: (_key: string, value: unknown): unknown =>
      isBytes(value) ? Buffer.from(String(value.data), "base64") : value,
  };
  readonly proto = { Message: { AppStateSyncKeyData: { fromObject: (fields: Fields): Fields => ({ ...fields }) } } };
  readonly initAuthCreds = (): Fields => ({ registered: false, noiseKey: Buffer.from("a key of the device") });
  readonly makeWASocket = (config: Fields) => {
    this.configs.push(config);
    const events = new EventEmitter();
    this.#events = events;
    this.#opened.resolve();
    const user = () => this.user;
    return {
      get user() {
        return user();
      },
      ev: { on: (event: string, listener: (data: Fields) => void) => void events.on(event, listener) },
      sendMessage: (chat: string, content: Fields, options: Fields): Promise<unknown> => {
        const trouble = this.troubles.shift();
        if (trouble?.isSent !== false) this.sent.push({ chat, content, options });
        if (trouble !== undefined) return Promise.reject(boom(trouble.status));
        return Promise.resolve({ key: { id: options["messageId"], remoteJid: chat, fromMe: true }, message: content });
      },
      sendPresenceUpdate: (_presence: string, chat: string) => Promise.resolve(void this.typing.push(chat)),
      requestPairingCode: (number: string) => Promise.resolve(`CODE${number.slice(-4)}`),
      updateMediaMessage: (message: Fields) => Promise.resolve(message),
      end: () => undefined,
    };
  };
  readonly downloadMediaMessage = (message: Fields): Promise<AsyncIterable<Uint8Array>> => {
    const { id } = message["key"] as { id: string };
    const { mediaKey } = ((message["message"] as Fields)["documentMessage"] ?? {}) as { mediaKey?: unknown };
    const bytes = this.files.get(id);
    if (bytes === undefined || !(mediaKey instanceof Uint8Array)) return Promise.reject(new Error("gone"));
    return Promise.resolve(
      (async function* () {
        yield await Promise.resolve(bytes.subarray(0, 3));
        yield bytes.subarray(3);
      })(),
    );
  };

  /** Resolves when the bridge opens its next connection. */
  async opened(): Promise<void> {
    await this.#opened.promise;
    this.#opened = new Deferred<void>();
  }

  emit(event: string, data: Fields): void {
    this.#events.emit(event, data);
  }

  /** The phone scanned the code, or knew the device already. */
  connect(user = { id: "4915100000001:7@s.whatsapp.net", lid: "99900011:7@lid", name: "Owner" }): void {
    this.user = user;
    this.emit("connection.update", { connection: "open" });
  }

  close(statusCode: number): void {
    this.emit("connection.update", { connection: "close", lastDisconnect: { error: boom(statusCode) } });
  }

  receive(...messages: Fields[]): void {
    this.emit("messages.upsert", { messages, type: "notify" });
  }
}

/** An error as Baileys gives them. */
function boom(statusCode: number): Error {
  return Object.assign(new Error("Connection Failure"), { output: { statusCode } });
}

function isBytes(value: unknown): value is { readonly type: "Buffer"; readonly data: unknown } {
  return typeof value === "object" && value !== null && "type" in value && value.type === "Buffer" && "data" in value;
}
