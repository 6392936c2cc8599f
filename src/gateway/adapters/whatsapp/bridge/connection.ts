import type { Connection, ConnectionPorts } from "../../../platform/platform.ts";
import { Latest } from "../../support/latest.ts";
import { openLine } from "../../support/line.ts";
import { openFile } from "../../support/media.ts";
import { connectionErrorOf } from "../../support/service-error.ts";
import { type BridgeAccount, bridgeApi, healthOf, linkedAccount, service } from "./api.ts";
import type { BridgeRules } from "./inbound.ts";
import { sendThroughBridge } from "./send.ts";
import { BridgeUpdates } from "./updates.ts";

const waitsMs = [3_000];
const rememberedSends = 500;
const usualPrefix = "*Hermes*\n";

/** Speaks as a linked device of a person's account, through a bridge process on this machine. */
export async function connectBridge(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const api = bridgeApi(ports.config, ports.fetch);
  const account = await healthOf(api, signal)
    .then(linkedAccount)
    .catch((error: unknown) => {
      throw connectionErrorOf(service, error);
    });
  const sent = new Latest<true>(rememberedSends);
  const rules = rulesOf(ports, account, sent);
  const updates = new BridgeUpdates({ ports, api, rules });
  const line = openLine({ service, ports, waitsMs, stay: (ready, within) => updates.stay(ready, within) });
  await line.ready;
  ports.logger.info("connected", { platform: service.id });
  return {
    account: { id: account.id, name: account.name || account.id },
    lost: line.lost,
    async send(to, message, context) {
      const result = await sendThroughBridge(to, message, { ...context, api, prefix: rules.prefix });
      if (result.kind === "sent" && result.messageId !== undefined) sent.set(result.messageId, true);
      return result;
    },
    async typing({ chatId }, within) {
      await api.rest("/typing", { body: { chatId }, signal: within });
    },
    async fetchAttachment({ ref }, within) {
      const url = `${api.root}/media/${encodeURIComponent(ref["mediaId"] ?? "")}`;
      return await openFile(ports.fetch, { label: service.label, url, headers: api.headers }, within);
    },
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

function rulesOf({ config: { whatsapp } }: ConnectionPorts, account: BridgeAccount, sent: Latest<true>): BridgeRules {
  return {
    account,
    mode: whatsapp.mode,
    prefix: whatsapp.reply_prefix ?? (whatsapp.mode === "self-chat" ? usualPrefix : ""),
    policies: {
      dm: whatsapp.dm_policy ?? "pairing",
      // A person's account is in groups that never asked for Hermes.
      group: whatsapp.group_policy ?? "allowlist",
      allowFrom: whatsapp.allow_from,
      groupAllowFrom: [...whatsapp.group_allow_from, ...whatsapp.group_allowed_users],
    },
    requireMention: whatsapp.require_mention ?? true,
    mentionPatterns: whatsapp.mention_patterns.map((pattern) => new RegExp(pattern, "iu")),
    freeChats: new Set(whatsapp.free_response_channels),
    channelPrompts: whatsapp.channel_prompts,
    isOurs: (messageId) => sent.get(messageId) === true,
  };
}
