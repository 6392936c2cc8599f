import { type Config, isPlatformId, platformSettings } from "#config";
import type { Deliverer, DeliveryTarget } from "#cron";
import type { HermesHome } from "#foundation/files/paths";
import type { Store } from "#store";
import type { MessageSource } from "../platform/inbound.ts";
import type { Platform } from "../platform/platform.ts";
import { openReplies } from "./replies.ts";

export interface AnswersDeps {
  readonly config: Config;
  readonly store: Pick<Store, "meta">;
  readonly platforms: readonly Platform[];
  readonly home: HermesHome;
  /** The folder of the person, for `~` in paths. */
  readonly userHome: string;
  readonly cwd: string;
}

const accountKey = (platform: string): string => `gateway.account.${platform}`;

/** Remembers as whom Hermes was connected, so that something can be owed there while it is not. */
export async function rememberAccount(store: Pick<Store, "meta">, platform: string, account: string): Promise<void> {
  await store.meta.set(accountKey(platform), account);
}

/** Turns what nobody asked for in a chat (the answer of a job) into what is owed there. */
export function answerDeliverer(deps: AnswersDeps): Deliverer {
  const replies = openReplies(deps);
  return {
    async rows(target, { text, key }) {
      const source = await sourceOf(target, deps);
      if (typeof source === "string") return source;
      const message = { source, text: "", dedupKey: key, atMs: 0, attachments: [] };
      const rows = replies.answer(text, { message, sessionKey: `delivery:${source.platform}:${source.chatId}`, key });
      return rows.length === 0 ? "There was nothing to deliver." : rows;
    },
  };
}

/** The chat a target means, or why there is none. */
async function sourceOf(target: DeliveryTarget, deps: AnswersDeps): Promise<MessageSource | string> {
  const chat = chatOf(target, deps);
  if (typeof chat === "string") return chat;
  const { platforms, store } = deps;
  if (!platforms.some(({ id }) => id === chat.platform)) return `${chat.platform} is not set up.`;
  const account = chat.account ?? (await store.meta.get(accountKey(chat.platform)));
  if (account === undefined) return `Hermes has never been connected to ${chat.platform}.`;
  const { platform, chatId, threadId } = chat;
  return { platform, account, chatId, threadId, chatType: "dm" };
}

interface Chat {
  readonly platform: string;
  readonly account?: string | undefined;
  readonly chatId: string;
  readonly threadId?: string | undefined;
}

function chatOf(target: DeliveryTarget, { config, platforms }: AnswersDeps): Chat | string {
  if (target.kind === "origin") return target.origin;
  if (target.kind === "chat") return target;
  const named = target.platform;
  const candidates = named === undefined ? platforms.map(({ id }) => id) : [named];
  for (const id of candidates) {
    const channel = homeChannel(config, id);
    if (channel !== undefined) return { platform: id, chatId: channel.chatId, threadId: channel.threadId || undefined };
  }
  return named === undefined
    ? "No platform has a home channel; /sethome in a chat makes it one."
    : `${named} has no home channel; /sethome in a chat makes it one.`;
}

function homeChannel(config: Config, id: string): { readonly chatId: string; readonly threadId: string } | undefined {
  return isPlatformId(id) ? platformSettings(config, id).homeChannel : undefined;
}
