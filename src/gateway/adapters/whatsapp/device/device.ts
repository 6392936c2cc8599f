import { defined } from "#foundation/defined";
import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { raceAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isRecord } from "#foundation/text/json";
import type { Clock } from "#foundation/time/clock";
import { type Fields, fieldsAt, listAt, textAt } from "../../support/fields.ts";
import { Latest } from "../../support/latest.ts";
import { type BridgeAccount, withoutDevice } from "../bridge/api.ts";
import { accountKeys } from "./account-keys.ts";
import { CallRefused, failedSend, statusOf } from "./call-refused.ts";
import type { DeviceStore } from "./device-store.ts";
import { readReceived } from "./incoming.ts";
import type { DeviceLibrary, WhatsAppSocket } from "./library.ts";
import { quietLogger } from "./library-log.ts";
import { messageIdOf, type Sending } from "./outgoing.ts";

export interface DeviceDeps {
  readonly library: DeviceLibrary;
  readonly store: DeviceStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where WhatsApp is, if not where it usually is. */
  readonly address?: string | undefined;
  /** The person's number, digits only: they get a code to type in beside the one to scan. */
  readonly number?: string | undefined;
  /** Something changed that a person or the gateway waits for. */
  onChange(): void;
}

export type DeviceState =
  | { readonly state: "connecting" | "logged_out" }
  | { readonly state: "pairing"; readonly qr: string; readonly code: string }
  | { readonly state: "connected"; readonly account: BridgeAccount };

// The numbers of Baileys' DisconnectReason.
const unlinked: ReadonlySet<number> = new Set([401, 403]);
const restartRequired = 515;
const [restartMs, againMs] = [1_000, 3_000];
const rememberedMessages = 1_000;

/** One linked device of an account: stays connected, keeps what comes in, sends what it is given. */
export class Device {
  readonly #deps: DeviceDeps;
  /** For replies, and for phones that ask for a message again. */
  readonly #recent = new Latest<Fields>(rememberedMessages);
  readonly #sending = new Map<string, Promise<string>>();
  #state: DeviceState = { state: "connecting" };
  #socket: WhatsAppSocket | undefined;
  #asked = new Deferred<void>();

  constructor(deps: DeviceDeps) {
    this.#deps = deps;
  }

  get state(): DeviceState {
    return this.#state;
  }

  /** Until the signal. A device that was unlinked waits for `pair`. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, store } = this.#deps;
    while (!signal.aborted) {
      const code = await this.#stay(signal);
      if (signal.aborted) return;
      logger.info("the device was disconnected", { platform: "whatsapp", code });
      if (!unlinked.has(code)) {
        await clock.sleep(code === restartRequired ? restartMs : againMs, signal).catch(() => undefined);
        continue;
      }
      store.forgetAccount();
      this.#enter({ state: "logged_out" });
      await raceAbort(this.#asked.promise, signal).catch(() => undefined);
    }
  }

  /** Links anew after the phone unlinked it. */
  pair(): void {
    if (this.#state.state !== "logged_out") return;
    this.#enter({ state: "connecting" });
    this.#asked.resolve();
    this.#asked = new Deferred<void>();
  }

  /** One connection; resolves with the number why it ended. */
  async #stay(signal: AbortSignal): Promise<number> {
    const { library, store, logger, address } = this.#deps;
    const { state: auth, save } = accountKeys(store, library.baileys);
    const ended = new Deferred<number>();
    this.#enter({ state: "connecting" });
    const socket = library.baileys.makeWASocket({
      auth,
      logger: quietLogger(logger),
      browser: ["Hermes", "Desktop", "1.0"],
      markOnlineOnConnect: false,
      syncFullHistory: false,
      shouldSyncHistoryMessage: () => false,
      emitOwnEvents: false,
      getMessage: (key: Fields) => Promise.resolve(this.#contentOf(textAt(key, "id"))),
      ...defined({ waWebSocketUrl: address }),
    });
    this.#socket = socket;
    const stop = (): void => ended.resolve(0);
    signal.addEventListener("abort", stop, { once: true });
    socket.ev.on("creds.update", save);
    socket.ev.on("connection.update", (update) => this.#follow(update, socket, ended));
    socket.ev.on("messages.upsert", ({ messages }) => this.#take(listAt({ messages }, "messages")));
    try {
      return await ended.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#socket = undefined;
      socket.end(undefined);
    }
  }

  #follow(update: Fields, socket: WhatsAppSocket, ended: Deferred<number>): void {
    const qr = textAt(update, "qr");
    if (qr !== "") this.#offer(socket, this.#deps.library.drawn(qr));
    if (update["connection"] === "open" && socket.user !== undefined) {
      const { id, lid = "", name = "" } = socket.user;
      this.#enter({ state: "connected", account: { id: withoutDevice(id), lid: withoutDevice(lid), name } });
    }
    if (update["connection"] === "close") ended.resolve(statusOf(fieldsAt(update, "lastDisconnect")["error"]));
  }

  /** What the phone scans; and, for a known number, what can be typed in there instead. */
  #offer(socket: WhatsAppSocket, qr: string): void {
    const { number, logger } = this.#deps;
    const isFirst = this.#state.state !== "pairing";
    const code = this.#state.state === "pairing" ? this.#state.code : "";
    this.#enter({ state: "pairing", qr, code });
    if (number === undefined || !isFirst) return;
    socket.requestPairingCode(number).then(
      (made) => {
        if (this.#state.state === "pairing") this.#enter({ ...this.#state, code: made });
      },
      (error: unknown) => logger.warn("no pairing code", { platform: "whatsapp", error: describe(error) }),
    );
  }

  #take(messages: readonly Fields[]): void {
    const { store, library, clock, onChange } = this.#deps;
    const accountId = this.#state.state === "connected" ? this.#state.account.id : "";
    for (const event of messages) {
      const received = readReceived(event, accountId);
      if (received === undefined) continue;
      const { message, mediaId } = received;
      const id = textAt(message, "id");
      this.#recent.set(id, event);
      const key = store.keyOf(id);
      const whole = key === undefined ? message : { ...message, key };
      const file = JSON.stringify(event, library.baileys.BufferJSON.replacer);
      store.keep(
        JSON.stringify(whole),
        mediaId === undefined ? undefined : { id: mediaId, message: file, atMs: clock.now() },
      );
    }
    onChange();
  }

  /** Sends once for each key, however often it is asked; gives the id of the message. */
  async send(sending: Sending): Promise<string> {
    // The same edit twice changes nothing, so nobody remembers it.
    const known = this.#deps.store.sentAs(sending.key) ?? this.#sending.get(sending.key);
    if (known !== undefined) return await known;
    const work = this.#send(sending).finally(() => this.#sending.delete(sending.key));
    this.#sending.set(sending.key, work);
    return await work;
  }

  async #send({ chatId, key, isEdit, content, after, replyTo }: Sending): Promise<string> {
    const socket = this.#connected();
    const messageId = messageIdOf(key);
    const quoted = replyTo === "" ? undefined : this.#recent.get(replyTo);
    const options = { messageId, ...defined({ quoted }) };
    let sent: unknown;
    try {
      sent = await socket.sendMessage(chatId, content, options);
      if (after !== undefined)
        await socket.sendMessage(
          chatId,
          { text: after, linkPreview: null },
          { messageId: messageIdOf(`${key}:words`) },
        );
    } catch (error) {
      throw failedSend(error);
    }
    if (isEdit) return messageId;
    if (isRecord(sent)) this.#recent.set(messageId, sent);
    this.#deps.store.setSent(key, messageId, this.#deps.clock.now());
    return messageId;
  }

  async typing(chatId: string): Promise<void> {
    await this.#connected().sendPresenceUpdate("composing", chatId);
  }

  async file(id: string): Promise<AsyncIterable<Uint8Array>> {
    const { store, library, logger } = this.#deps;
    const text = store.media(id);
    if (text === undefined) throw new CallRefused(404, "no such file");
    const socket = this.#connected();
    const message: unknown = JSON.parse(text, library.baileys.BufferJSON.reviver);
    return await library.baileys.downloadMediaMessage(
      isRecord(message) ? message : {},
      "stream",
      {},
      {
        logger: quietLogger(logger),
        reuploadRequest: (old: Fields) => socket.updateMediaMessage(old),
      },
    );
  }

  #connected(): WhatsAppSocket {
    if (this.#socket === undefined || this.#state.state !== "connected")
      throw new CallRefused(503, "WhatsApp is not connected");
    return this.#socket;
  }

  #contentOf(id: string): Fields | undefined {
    const message = this.#recent.get(id);
    return message === undefined ? undefined : fieldsAt(message, "message");
  }

  #enter(state: DeviceState): void {
    this.#state = state;
    this.#deps.onChange();
  }
}
