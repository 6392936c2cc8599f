import { readTextFile, writeFileAtomic } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { Mutex } from "#foundation/lifecycle/mutex";
import { isRecord, parseJson } from "#foundation/text/json";
import { nonEmpty } from "#foundation/text/text";
import type { Clock } from "#foundation/time/clock";
import type { Store } from "#store";
import type { Channel, Connection } from "../platform/platform.ts";

/** A chat that can be written to, with a name a person knows it by. */
export interface ListedChannel extends Channel {
  readonly platform: string;
  /** The person whose chat it is, where somebody has written there. */
  readonly userId?: string | undefined;
}

const maxBytes = 4 * 1024 * 1024;
const mostRoutes = 2_000;
const firstLookMs = 5_000;
const everyMs = 300_000;

/** The chats of a home: those its platforms tell of, kept in a file, and those somebody has written in. */
export class ChannelDirectory {
  readonly #file: string;
  readonly #store: Pick<Store, "routes">;
  readonly #clock: Clock;
  readonly #writing = new Mutex();

  constructor({
    home,
    store,
    clock,
  }: { readonly home: HermesHome; readonly store: Pick<Store, "routes">; readonly clock: Clock }) {
    this.#file = home.at("channel_directory.json");
    this.#store = store;
    this.#clock = clock;
  }

  async list(): Promise<readonly ListedChannel[]> {
    return withoutDoubles([...(await this.#spokenIn()), ...(await this.#stored())]);
  }

  /** Chats in which this person has written. */
  async spokenInBy(userId: string): Promise<readonly ListedChannel[]> {
    return withoutDoubles((await this.#spokenIn()).filter((channel) => channel.userId === userId));
  }

  /** Keeps what a platform tells up to date while it is connected. */
  async keep(platform: string, { channels }: Pick<Connection, "channels">, signal: AbortSignal): Promise<void> {
    // Some learn of their channels only after they are connected.
    await this.#clock.sleep(firstLookMs, signal);
    for (;;) {
      const told = (await channels?.(signal)) ?? [];
      await this.#writing.run(() => this.#write(platform, told));
      await this.#clock.sleep(everyMs, signal);
    }
  }

  /** Takes a chat out of the file. */
  async forget(of: string, id: string): Promise<void> {
    await this.#writing.run(async () => {
      const listed = await this.#stored();
      if (listed.some(({ platform, id: own }) => platform === of && own === id))
        await this.#keepInFile(listed.filter(({ platform, id: own }) => platform !== of || own !== id));
    });
  }

  async #write(of: string, told: readonly Channel[]): Promise<void> {
    const kept = (await this.#stored()).filter(({ platform }) => platform !== of);
    const fresh = told.map((channel) => ({ ...channel, platform: of }));
    const spoken = (await this.#spokenIn()).filter(({ platform }) => platform === of);
    await this.#keepInFile(withoutDoubles([...spoken, ...fresh, ...kept]));
  }

  async #keepInFile(channels: readonly ListedChannel[]): Promise<void> {
    const platforms: Record<string, unknown[]> = {};
    for (const { platform, id, name, type, guild, threadId } of channels) {
      platforms[platform] ??= [];
      platforms[platform].push({ id, name, type, guild, thread_id: threadId });
    }
    const content = { updated_at: new Date(this.#clock.now()).toISOString(), platforms };
    await writeFileAtomic(this.#file, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  }

  async #spokenIn(): Promise<readonly ListedChannel[]> {
    const routes = await this.#store.routes.list({ limit: mostRoutes });
    return routes.flatMap(({ platform, chatId, threadId, chatType, userId, details }) => {
      if (chatId === undefined) return [];
      return [{ platform, id: chatId, name: nonEmpty(details["name"]) ?? chatId, type: chatType, threadId, userId }];
    });
  }

  async #stored(): Promise<readonly ListedChannel[]> {
    const text = await readTextFile(this.#file, { maxBytes });
    const parsed = text === undefined ? undefined : parseJson(text);
    const platforms = parsed?.ok === true && isRecord(parsed.value) ? parsed.value["platforms"] : undefined;
    if (!isRecord(platforms)) return [];
    return Object.entries(platforms).flatMap(([platform, list]) =>
      (Array.isArray(list) ? list : []).flatMap((entry) => readChannel(entry, platform)),
    );
  }
}

export type Lookup =
  | { readonly kind: "found"; readonly channel: ListedChannel }
  | { readonly kind: "ambiguous"; readonly names: readonly string[] }
  | { readonly kind: "unknown" };

/** The channel somebody means: its whole name, its label, `guild/name`, or a beginning that only one has. */
export function findChannel(wanted: string, channels: readonly ListedChannel[]): Lookup {
  const name = fold(wanted.replace(/^#/u, ""));
  const names = ({ name: own, type, guild }: ListedChannel) =>
    [own, `${own} (${type})`, ...(guild === undefined ? [] : [`${guild}/${own}`])].map((one) =>
      fold(one.replace(/^#/u, "")),
    );
  const whole = channels.filter((channel) => names(channel).includes(name));
  const found = whole.length > 0 ? whole : channels.filter(({ name: own }) => fold(own).startsWith(name));
  const [first, ...others] = found;
  if (first === undefined || name === "") return { kind: "unknown" };
  if (others.length === 0) return { kind: "found", channel: first };
  return { kind: "ambiguous", names: found.slice(0, 10).map(channelTarget) };
}

/** How a channel is written as a target. */
export function channelTarget({ platform, id, threadId }: ListedChannel): string {
  return [platform, id, ...(threadId === undefined ? [] : [threadId])].join(":");
}

const fold = (text: string): string => text.trim().toLowerCase();

function withoutDoubles(channels: readonly ListedChannel[]): readonly ListedChannel[] {
  const seen = new Set<string>();
  return channels.filter((channel) => {
    const key = channelTarget(channel);
    return !seen.has(key) && seen.add(key).size > 0;
  });
}

function readChannel(entry: unknown, platform: string): readonly ListedChannel[] {
  if (!isRecord(entry)) return [];
  const id = nonEmpty(entry["id"]);
  const name = nonEmpty(entry["name"]);
  if (id === undefined || name === undefined) return [];
  const type = nonEmpty(entry["type"]) ?? "channel";
  return [{ platform, id, name, type, guild: nonEmpty(entry["guild"]), threadId: nonEmpty(entry["thread_id"]) }];
}
