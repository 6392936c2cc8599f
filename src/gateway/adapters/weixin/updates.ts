import { timeLimit } from "#foundation/lifecycle/abort";
import { isRecord, parseJson } from "#foundation/text/json";
import { ConnectionError, type ConnectionPorts } from "../../platform/platform.ts";
import { fieldsAt, listAt, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import { ServiceError } from "../support/service-error.ts";
import { expired, type WeixinApi } from "./api.ts";
import { readMessage, type WeixinRules } from "./inbound.ts";

const pollMs = 35_000;
const pollGraceMs = 10_000;
const shortMs = 1_000;
const pauseMs = 10 * 60_000;
const lifeEveryMs = 20_000;
const rememberedChats = 100;
const position = "updates";

/** Asks for what people wrote. Where it stands, and the word each chat is answered with, are written down with the messages. */
export class WeixinUpdates {
  readonly #ports: ConnectionPorts;
  readonly #api: WeixinApi;
  readonly #rules: WeixinRules;
  readonly #contexts = new Latest<string>(rememberedChats);
  #buffer = "";
  #isRead = false;
  #wasHeard = false;

  constructor({ ports, api, rules }: { ports: ConnectionPorts; api: WeixinApi; rules: WeixinRules }) {
    this.#ports = ports;
    this.#api = api;
    this.#rules = rules;
  }

  contextOf(chatId: string): string | undefined {
    return this.#contexts.get(chatId);
  }

  forgetContext(chatId: string): void {
    this.#contexts.delete(chatId);
  }

  async stay(ready: () => void, signal: AbortSignal): Promise<string> {
    await this.#readPosition();
    for (let isFirst = true; !signal.aborted; isFirst = false)
      try {
        const asked = this.#poll(signal);
        // A refusal comes at once; a poll that waits was let in.
        if (isFirst) await Promise.race([asked, this.#ports.clock.sleep(shortMs, signal)]);
        ready();
        await asked;
        this.#wasHeard = true;
      } catch (error) {
        if (signal.aborted) break;
        if (!(error instanceof ServiceError) || error.code !== expired) throw error;
        await this.#pause(signal);
      }
    return "closed";
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const within = timeLimit(pollMs + pollGraceMs, signal);
    const answer = await this.#api.call("getupdates", { get_updates_buf: this.#buffer }, within);
    this.#ports.alive();
    const next = textAt(answer, "get_updates_buf") || this.#buffer;
    const messages = listAt(answer, "msgs").flatMap((data) => {
      const message = readMessage(data, this.#rules);
      if (message === undefined) return [];
      const context = textAt(data, "context_token");
      if (context !== "") this.#contexts.set(message.source.chatId, context);
      return [message];
    });
    for (const [index, message] of messages.entries()) {
      const isLast = index === messages.length - 1;
      await this.#ports.admit(message, { name: position, value: this.#written(isLast ? next : this.#buffer) });
    }
    this.#buffer = next;
  }

  #written(buffer: string): string {
    return JSON.stringify({ buffer, contexts: this.#contexts.entries() });
  }

  async #readPosition(): Promise<void> {
    if (this.#isRead) return;
    this.#isRead = true;
    const parsed = parseJson((await this.#ports.position(this.#rules.account, position)) ?? "{}");
    const stored = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
    this.#buffer = textAt(stored, "buffer");
    for (const [chat, context] of Object.entries(fieldsAt(stored, "contexts")))
      this.#contexts.set(chat, String(context));
  }

  /** A session that never was is a wrong token; one that ended may come back. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, logger, alive } = this.#ports;
    if (!this.#wasHeard)
      throw new ConnectionError(
        "weixin_auth",
        "Weixin does not accept the token. Log in: hermes gateway setup weixin",
        {
          isRetryable: false,
        },
      );
    logger.warn("the session at Weixin ended; asked again in ten minutes", { platform: "weixin" });
    for (let waitedMs = 0; waitedMs < pauseMs && !signal.aborted; waitedMs += lifeEveryMs) {
      alive();
      await clock.sleep(lifeEveryMs, signal).catch(() => undefined);
    }
  }
}
