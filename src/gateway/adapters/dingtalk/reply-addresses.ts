import type { Clock } from "#foundation/time/clock";
import { type Fields, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";

const hosts = new Set(["api.dingtalk.com", "oapi.dingtalk.com"]);
const earlyMs = 5 * 60_000;
const rememberedChats = 500;

/**
 * Where answers may go for a while after a person wrote. Such an address is a credential, so it is not written down:
 * after a restart, and when it ended, the robot writes by itself.
 */
export class ReplyAddresses {
  readonly #latest = new Latest<{ readonly url: string; readonly untilMs: number }>(rememberedChats);
  readonly #clock: Clock;
  readonly #ownOrigin: string;

  constructor(root: string, clock: Clock) {
    this.#ownOrigin = new URL(root).origin;
    this.#clock = clock;
  }

  /** A message names an address; one elsewhere than at DingTalk is not used. */
  learn(chatId: string, data: Fields): void {
    const url = textAt(data, "sessionWebhook");
    const untilMs = Number(data["sessionWebhookExpiredTime"]) - earlyMs;
    if (this.#isTrusted(url)) this.#latest.set(chatId, { url, untilMs });
  }

  of(chatId: string): string | undefined {
    const known = this.#latest.get(chatId);
    return known !== undefined && this.#clock.now() < known.untilMs ? known.url : undefined;
  }

  #isTrusted(address: string): boolean {
    if (!URL.canParse(address)) return false;
    const { protocol, hostname, port, origin, username } = new URL(address);
    if (username !== "") return false;
    return origin === this.#ownOrigin || (protocol === "https:" && hosts.has(hostname) && port === "");
  }
}
