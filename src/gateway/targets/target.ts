import { type Config, isPlatformId, platformSettings } from "#config";
import { timeLimit } from "#foundation/lifecycle/abort";
import type { Store } from "#store";
import type { MessageSource } from "../platform/inbound.ts";
import type { Platform } from "../platform/platform.ts";
import { type ChannelDirectory, findChannel } from "./directory.ts";

export interface TargetDeps {
  /** As it is saved now: a home channel may have been named since the start. */
  configNow(): Promise<Config>;
  readonly store: Pick<Store, "meta">;
  readonly platforms: readonly Platform[];
  readonly directory: Pick<ChannelDirectory, "list">;
  /** Sends what is owed there from this process, until it is disposed; undefined where a gateway does that. */
  visit?(platform: Platform, signal: AbortSignal): Promise<AsyncDisposable | undefined>;
}

/** A chat that something goes to without having been asked there. */
interface TargetChat {
  readonly platform: string;
  readonly account?: string | undefined;
  readonly chatId: string;
  readonly threadId?: string | undefined;
}

const introductionMs = 10_000;
const accountKey = (platform: string): string => `gateway.account.${platform}`;

/** Remembers as whom Hermes was connected, so that something can be owed there while it is not. */
export async function rememberAccount(store: Pick<Store, "meta">, platform: string, account: string): Promise<void> {
  await store.meta.set(accountKey(platform), account);
}

/** As whom it was connected there last; undefined: never. */
export async function accountOf(store: Pick<Store, "meta">, platform: string): Promise<string | undefined> {
  return await store.meta.get(accountKey(platform));
}

/**
 * The chat that a word means, or why there is none: `origin`, a platform (its home channel), `platform:chat[:thread]`,
 * `platform:#name`. The one reader of targets.
 */
export async function resolveTarget(
  { word, origin }: { readonly word: string; readonly origin?: TargetChat | undefined },
  deps: TargetDeps,
): Promise<MessageSource | string> {
  const chat = await chatOf(word.trim(), origin, deps);
  if (typeof chat === "string") return chat;
  const { platforms, store } = deps;
  const { platform, chatId, threadId } = chat;
  const known = platforms.find(({ id }) => id === platform);
  if (known === undefined) return `${platform} is not set up.`;
  const account = chat.account ?? (await accountOf(store, platform)) ?? (await introduced(known, deps));
  if (account === undefined) return `Hermes has never been connected to ${platform}.`;
  return { platform, account, chatId, threadId, chatType: "dm" };
}

/** Who we are on a platform that no gateway was ever connected to, where it says so to whoever only sends. */
async function introduced(platform: Platform, { store, visit }: TargetDeps): Promise<string | undefined> {
  const limit = timeLimit(introductionMs);
  await using _visitor = await visit?.(platform, limit).catch(() => undefined);
  return await accountOf(store, platform.id);
}

async function chatOf(word: string, origin: TargetChat | undefined, deps: TargetDeps): Promise<TargetChat | string> {
  const { platforms } = deps;
  if (word.toLowerCase() === "origin") return origin ?? (await homeOf(platforms, deps));
  const colon = word.indexOf(":");
  const id = (colon === -1 ? word : word.slice(0, colon)).toLowerCase();
  const platform = platforms.find((one) => one.id === id);
  if (platform === undefined) {
    if (isPlatformId(id)) return `${id} is not set up.`;
    const known = platforms.map((one) => one.id).join(", ");
    return `There is no platform "${id}". ${known === "" ? "None is set up." : `These are set up: ${known}.`}`;
  }
  if (colon === -1) return await homeOf([platform], deps);
  const rest = word.slice(colon + 1).trim();
  const explicit = platform.readTarget(rest);
  if (explicit !== undefined) return { platform: id, ...explicit };
  const channels = (await deps.directory.list()).filter((channel) => channel.platform === id);
  const found = findChannel(rest, channels);
  if (found.kind === "ambiguous") return `"${rest}" may be one of these: ${found.names.join(", ")}.`;
  if (found.kind === "unknown") return `${platform.label} has no chat "${rest}" that Hermes knows of.`;
  return { platform: id, chatId: found.channel.id, threadId: found.channel.threadId };
}

/** The first home channel among these platforms. */
async function homeOf(
  platforms: readonly Platform[],
  { configNow }: Pick<TargetDeps, "configNow">,
): Promise<TargetChat | string> {
  const config = await configNow();
  for (const { id } of platforms) {
    const channel = homeChannel(config, id);
    if (channel !== undefined) return { platform: id, chatId: channel.chatId, threadId: channel.threadId || undefined };
  }
  const [only, ...others] = platforms;
  return only === undefined || others.length > 0
    ? "No platform has a home channel; /sethome in a chat makes it one."
    : `${only.label} has no home channel; set ${only.envPrefix}_HOME_CHANNEL, or write /sethome in a chat.`;
}

export function homeChannel(
  config: Config,
  id: string,
): { readonly chatId: string; readonly name: string; readonly threadId: string } | undefined {
  return isPlatformId(id) ? platformSettings(config, id).homeChannel : undefined;
}
