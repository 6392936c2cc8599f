import { isRecord } from "#foundation/text/json";
import { type Connection, ConnectionError, type ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, listAt, textAt } from "../support/fields.ts";
import { openLine } from "../support/line.ts";
import { openFile } from "../support/media.ts";
import { type Rest, restOver } from "../support/rest.ts";
import { connectionErrorOf, missingSetting, type Service } from "../support/service-error.ts";
import { listenTo } from "../support/socket.ts";
import { type MattermostRules, type MattermostSelf, type Posted, postedIn, readPost } from "./inbound.ts";
import { findInMattermost, postsOf, sendToMattermost } from "./send.ts";

const service: Service = { id: "mattermost", label: "Mattermost" };
const waitsMs = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000];

/** Connects as the bot of the token: events over a socket, everything else over REST. */
export async function connectMattermost(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { mattermost, platforms } = ports.config;
  const root = (mattermost.base_url || mattermost.url).replace(/\/+$/u, "");
  if (root === "") throw missingSetting(service, "MATTERMOST_URL");
  const token = platforms["mattermost"]?.token.reveal() ?? "";
  const headers = { authorization: `Bearer ${token}` };
  const rest = restOver({
    label: service.label,
    root: `${root}/api/v4`,
    fetch: ports.fetch,
    headers: () => headers,
    refusal: (body, status) => (status < 400 ? undefined : { message: textAt(body, "message") || `status ${status}` }),
  });
  const me = await rest("/users/me", { signal }).catch((error: unknown) => {
    throw connectionErrorOf(service, error);
  });
  const self: MattermostSelf = { id: textAt(me, "id"), username: textAt(me, "username") };
  const posts = new Posts({ ports, rest, self });
  const url = `${root.replace(/^http/u, "ws")}/api/v4/websocket`;
  const line = openLine({
    service,
    ports,
    waitsMs,
    stay: (ready, within) => stay({ url, token, ports, posts, ready }, within),
  });
  await line.ready;
  ports.logger.info("connected", { platform: service.id, bot: self.username });
  const sending = { rest, userId: self.id };
  return {
    account: { id: self.id, name: self.username },
    lost: line.lost,
    send: (to, message, context) => sendToMattermost(to, message, { ...sending, ...context }),
    reconcile: (to, _message, context) => findInMattermost(to, { ...sending, ...context }),
    remove: async (_to, id, within) => void (await rest(`/posts/${id}`, { method: "DELETE", signal: within })),
    typing: async ({ chatId, threadId }, within) =>
      void (await rest("/users/me/typing", {
        body: { channel_id: chatId, parent_id: threadId ?? "" },
        signal: within,
      })),
    async react(_to, { messageId, emoji, isAdded }, within) {
      const name = reactions[emoji] ?? "eyes";
      if (!isAdded) await rest(`/users/me/posts/${messageId}/reactions/${name}`, { method: "DELETE", signal: within });
      else
        await rest("/reactions", {
          body: { user_id: self.id, post_id: messageId, emoji_name: name },
          signal: within,
        });
    },
    fetchAttachment: ({ ref }, within) =>
      openFile(ports.fetch, { label: service.label, url: `${root}/api/v4/files/${ref["fileId"]}`, headers }, within),
    channels: async (within) =>
      listAt(await rest("/users/me/channels", { signal: within }), "items").map((channel) => ({
        id: textAt(channel, "id"),
        name: textAt(channel, "display_name") || textAt(channel, "name"),
        type: "channel",
      })),
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
}

const reactions: Readonly<Record<string, string>> = {
  "👀": "eyes",
  "✅": "white_check_mark",
  "👍": "+1",
  "❌": "x",
  "👎": "-1",
};

interface Stay {
  readonly url: string;
  readonly token: string;
  readonly ports: ConnectionPorts;
  readonly posts: Posts;
  ready(): void;
}

async function stay({ url, token, ports, posts, ready }: Stay, signal: AbortSignal): Promise<string> {
  let isRefused = false;
  const { reason } = await listenTo(
    {
      ports,
      url,
      alive: ports.alive,
      opened: (line) => line.write({ seq: 1, action: "authentication_challenge", data: { token } }),
      async take(frame, line) {
        if (frame["status"] === "FAIL") {
          isRefused = true;
          return line.end("the token was refused");
        }
        if (frame["event"] === "hello") {
          // What came while nobody listened stands before what comes now.
          await posts.catchUp(signal);
          return ready();
        }
        const posted = postedIn(frame);
        if (posted !== undefined) await posts.take(posted);
      },
    },
    signal,
  );
  if (isRefused)
    throw new ConnectionError("mattermost_auth", `Mattermost ended the socket: ${reason}`, { isRetryable: false });
  return reason;
}

/** Takes posts in, and knows up to when all were seen: Mattermost repeats nothing by itself. */
class Posts {
  readonly #ports: ConnectionPorts;
  readonly #rest: Rest;
  readonly #self: MattermostSelf;
  readonly #rules: MattermostRules;
  /** Milliseconds of the server's clock. */
  #seenUntil: number | undefined;

  constructor({ ports, rest, self }: { ports: ConnectionPorts; rest: Rest; self: MattermostSelf }) {
    this.#ports = ports;
    this.#rest = rest;
    this.#self = self;
    const { mattermost } = ports.config;
    this.#rules = {
      requireMention: mattermost.require_mention,
      mentionPatterns: mattermost.mention_patterns.map((pattern) => new RegExp(pattern, "iu")),
      freeChannels: new Set(mattermost.free_response_channels),
      startsThreads: mattermost.reply_mode === "thread",
      channelPrompts: mattermost.channel_prompts,
    };
  }

  async take(posted: Posted): Promise<void> {
    const seenUntil = Math.max(this.#seenUntil ?? 0, Number(posted.post["create_at"]) || 0);
    const message = readPost(posted, this.#self, this.#rules);
    if (message !== undefined) await this.#ports.admit(message, { name: "posts", value: String(seenUntil) });
    this.#seenUntil = seenUntil;
  }

  /** The first time ever it starts with what comes from now on. */
  async catchUp(signal: AbortSignal): Promise<void> {
    const channels = listAt(await this.#rest("/users/me/channels", { signal }), "items");
    const stored = await this.#ports.position(this.#self.id, "posts");
    this.#seenUntil ??= stored === undefined ? undefined : Number(stored);
    const since = this.#seenUntil;
    if (since === undefined) {
      // Written down at once: what is said before the first message is taken in is not missed if it ends here.
      this.#seenUntil = Math.max(0, ...channels.map((channel) => Number(channel["last_post_at"]) || 0)) + 1;
      await this.#ports.keepPosition(this.#self.id, { name: "posts", value: String(this.#seenUntil) });
      return;
    }
    const missed: Posted[] = [];
    for (const channel of channels.filter((one) => Number(one["last_post_at"]) >= since))
      missed.push(...(await this.#missedIn(channel, since, signal)));
    missed.sort((one, other) => Number(one.post["create_at"]) - Number(other.post["create_at"]));
    for (const posted of missed) await this.take(posted);
  }

  /** Posts of the same millisecond are asked for again; what was taken in already is known by its key. */
  async #missedIn(channel: Fields, since: number, signal: AbortSignal): Promise<readonly Posted[]> {
    const answer = await this.#rest(`/channels/${textAt(channel, "id")}/posts?since=${since - 1}`, { signal });
    return postsOf(answer)
      .filter((post) => isRecord(post) && Number(post["create_at"]) >= since && Number(post["delete_at"] ?? 0) === 0)
      .map((post) => ({
        post,
        channelType: textAt(channel, "type"),
        channelName: textAt(channel, "display_name") || undefined,
      }));
  }
}
