import type { Config } from "#config";
import type { MessageSource } from "../platform/inbound.ts";
import { type Access, accessOf, authorize, hasAllowlist, isListed, isOnlyOne } from "./authorize.ts";
import type { Pairing } from "./pairing.ts";

export interface UsersDeps {
  readonly config: Config;
  readonly pairing: Pick<Pairing, "isPaired" | "request" | "redeem">;
}

/** What a stranger hears; undefined is silence. */
export type StrangerReply = string | undefined;

/** Who may use Hermes, who may administer it, and what becomes of everybody else. */
export class Users {
  readonly #deps: UsersDeps;

  constructor(deps: UsersDeps) {
    this.#deps = deps;
  }

  async access(source: MessageSource): Promise<Access> {
    const { config, pairing } = this.#deps;
    const isPaired = source.userId !== undefined && (await pairing.isPaired(source.platform, source.userId));
    return authorize(source, { config, isPaired: () => isPaired });
  }

  /** Admins are those who are named; where nobody is named, those on an allowlist. */
  isAdmin(source: MessageSource): boolean {
    const { config } = this.#deps;
    if (config.gateway.admin_tier === "off") return true;
    return isListed(source, config, hasAdmins(config, source.platform) ? "admin_users" : "allowed_users");
  }

  /**
   * The owner of the home, in a private chat: the only admin who is named, or, where none is, the only person on the
   * allowlist. Who shares that list with others is one of several people, with a memory of their own.
   */
  isOwner(source: MessageSource): boolean {
    const { config } = this.#deps;
    if (source.chatType !== "dm" || source.isBot === true) return false;
    const list = hasAdmins(config, source.platform) ? "admin_users" : "allowed_users";
    return isOnlyOne(source, config, list);
  }

  /** Somebody who may not use Hermes wrote. In groups nothing is said to them. */
  async meetStranger(source: MessageSource, text: string): Promise<StrangerReply> {
    const { pairing } = this.#deps;
    const { platform, userId, userName = "" } = source;
    if (source.chatType !== "dm" || userId === undefined || source.isBot === true) return undefined;
    if (await pairing.redeem(platform, text, { userId, userName })) return "You are paired now. What can I do for you?";
    if (!this.#pairsStrangers(platform)) return undefined;
    const request = await pairing.request(platform, { userId, userName, chatId: source.chatId });
    if (request.kind === "silent") return undefined;
    if (request.kind !== "code") return "A code was sent to you already. Please wait until it has been approved.";
    return (
      "Hello! I do not know you yet. To let you in, my owner runs this on their machine:\n\n" +
      `\`hermes pairing approve ${platform} ${request.code}\`\n\nThe code is valid for an hour.`
    );
  }

  #pairsStrangers(platform: string): boolean {
    const { config } = this.#deps;
    const behavior = accessOf(config, platform).unauthorized_dm_behavior ?? config.unauthorized_dm_behavior;
    return behavior === undefined ? !hasAllowlist(config, platform) : behavior === "pair";
  }
}

function hasAdmins(config: Config, platform: string): boolean {
  return accessOf(config, platform).admin_users.length + config.gateway.admin_users.length > 0;
}
