import type { Connection, ConnectionPorts } from "../../platform/platform.ts";
import { textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import { openLine } from "../support/line.ts";
import { openFile } from "../support/media.ts";
import { missingSetting, type Service } from "../support/service-error.ts";
import { type WeixinApi, weixinApi } from "./api.ts";
import { decrypted, readKey } from "./crypto.ts";
import { WeixinSender } from "./send.ts";
import { WeixinUpdates } from "./updates.ts";

const service: Service = { id: "weixin", label: "Weixin" };
const waitsMs = [2_000, 2_000, 30_000];
const ticketMs = 600_000;
const rememberedChats = 500;

/** Connects a bot of a personal account. */
export async function connectWeixin(ports: ConnectionPorts, _signal: AbortSignal): Promise<Connection> {
  const { weixin, platforms } = ports.config;
  const token = platforms["weixin"]?.token.reveal() ?? "";
  if (token === "" || weixin.account_id === "") throw missingSetting(service, "WEIXIN_TOKEN and WEIXIN_ACCOUNT_ID");
  const api = weixinApi(weixin.base_url, token, ports.fetch);
  const rules = {
    account: weixin.account_id,
    policies: {
      dm: weixin.dm_policy,
      group: weixin.group_policy,
      allowFrom: weixin.allow_from,
      groupAllowFrom: weixin.group_allow_from,
    },
    channelPrompts: weixin.channel_prompts,
  };
  const updates = new WeixinUpdates({ ports, api, rules });
  const sender = new WeixinSender({ ports, api, updates });
  const typing = new Typing(api, ports);
  const line = openLine({ service, ports, waitsMs, stay: (ready, within) => updates.stay(ready, within) });
  await line.ready;
  return {
    account: { id: weixin.account_id, name: weixin.account_id },
    lost: line.lost,
    send: ({ chatId }, message, context) => sender.send(chatId, message, context),
    typing: ({ chatId }, within) => typing.show(chatId, updates.contextOf(chatId), within),
    async fetchAttachment({ ref }, within) {
      const query = new URLSearchParams({ encrypted_query_param: ref["param"] ?? "" });
      const url = `${weixin.cdn_base_url}/download?${query}`;
      const bytes = await openFile(ports.fetch, { label: service.label, url }, within);
      const key = readKey(ref["key"] ?? "");
      return key === undefined ? bytes : decrypted(bytes, key);
    },
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

/** Showing that somebody types needs a ticket, which is good for some time. */
class Typing {
  readonly #api: WeixinApi;
  readonly #ports: ConnectionPorts;
  readonly #tickets = new Latest<{ readonly text: string; readonly untilMs: number }>(rememberedChats);

  constructor(api: WeixinApi, ports: ConnectionPorts) {
    this.#api = api;
    this.#ports = ports;
  }

  async show(user: string, context: string | undefined, signal: AbortSignal): Promise<void> {
    const nowMs = this.#ports.clock.now();
    let ticket = this.#tickets.get(user);
    if (ticket === undefined || nowMs >= ticket.untilMs) {
      const answer = await this.#api.call("getconfig", { ilink_user_id: user, context_token: context }, signal);
      ticket = { text: textAt(answer, "typing_ticket"), untilMs: nowMs + ticketMs };
      this.#tickets.set(user, ticket);
    }
    if (ticket.text === "") return;
    await this.#api.call("sendtyping", { ilink_user_id: user, typing_ticket: ticket.text, status: 1 }, signal);
  }
}
