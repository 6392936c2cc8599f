import type { GatewayDispatchPayload } from "discord-api-types/v10";

export interface KnownChannel {
  readonly id: string;
  readonly name: string;
  readonly topic: string | undefined;
  readonly guildId: string | undefined;
  readonly guildName: string | undefined;
  readonly parentId: string | undefined;
  readonly isThread: boolean;
  /** Who opened a thread. */
  readonly ownerId: string | undefined;
}

interface RawChannel {
  readonly id: string;
  readonly name?: string | null;
  readonly topic?: string | null;
  readonly type?: number;
  readonly parent_id?: string | null;
  readonly owner_id?: string;
  readonly guild_id?: string;
}

const threadTypes: ReadonlySet<number> = new Set([10, 11, 12]);

/** Channels and threads, as Discord tells of them: a message only names the id of its channel. */
export class Channels {
  readonly #known = new Map<string, KnownChannel>();
  readonly #guilds = new Map<string, string>();

  note({ t: type, d: data }: GatewayDispatchPayload): void {
    switch (type) {
      case "GUILD_CREATE":
        if (!("name" in data)) return;
        this.#guilds.set(data.id, data.name);
        for (const channel of [...data.channels, ...data.threads])
          this.add({ ...(channel as RawChannel), guild_id: data.id });
        return;
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
        this.add(data as RawChannel);
        return;
      case "THREAD_LIST_SYNC":
        for (const thread of data.threads) this.add({ ...(thread as RawChannel), guild_id: data.guild_id });
        return;
      case "CHANNEL_DELETE":
      case "THREAD_DELETE":
        this.#known.delete(data.id);
        return;
      default:
    }
  }

  add(channel: RawChannel): KnownChannel {
    const known: KnownChannel = {
      id: channel.id,
      name: channel.name ?? "",
      topic: channel.topic ?? undefined,
      guildId: channel.guild_id,
      guildName: channel.guild_id === undefined ? undefined : this.#guilds.get(channel.guild_id),
      parentId: channel.parent_id ?? undefined,
      isThread: threadTypes.has(channel.type ?? 0),
      ownerId: channel.owner_id,
    };
    this.#known.set(channel.id, known);
    return known;
  }

  get(id: string): KnownChannel | undefined {
    return this.#known.get(id);
  }

  /** Those of guilds that can be written in. */
  list(): readonly KnownChannel[] {
    return [...this.#known.values()].filter(({ guildId, isThread }) => guildId !== undefined && !isThread);
  }
}
