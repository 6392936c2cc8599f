import { timeLimit } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import type { Workspace } from "./workspaces.ts";

const rememberedThreads = 1_000;
const mostEarlier = 30;
const longestEarlier = 500;
const lookMs = 2_000;

export interface SlackThread {
  readonly channel: string;
  readonly ts: string;
}

/** Threads we take part in: a mention is needed once. What was forgotten is looked up. */
export class OurThreads {
  readonly #known = new Map<string, boolean>();

  add(channel: string, thread: string): void {
    this.#remember(`${channel}:${thread}`, true);
  }

  async has(thread: SlackThread, workspace: Workspace): Promise<boolean> {
    const key = `${thread.channel}:${thread.ts}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { userId } = workspace.self;
    const isOurs = (await messagesOf(thread, workspace)).some(
      (message) => message["user"] === userId || String(message["text"]).includes(`<@${userId}>`),
    );
    this.#remember(key, isOurs);
    return isOurs;
  }

  /** What was said in a thread before the message by which we come into it; undefined where we are known, or nothing was. */
  async earlier(thread: SlackThread, ts: string, workspace: Workspace): Promise<string | undefined> {
    if (this.#known.get(`${thread.channel}:${thread.ts}`) === true) return undefined;
    const { userId, botId } = workspace.self;
    const lines = (await messagesOf(thread, workspace))
      .filter((message) => Number(message["ts"]) < Number(ts))
      .filter((message) => message["user"] !== userId && (botId === undefined || message["bot_id"] !== botId))
      .slice(-mostEarlier)
      .map(
        (message) => `${String(message["user"] ?? "somebody")}: ${String(message["text"]).slice(0, longestEarlier)}`,
      );
    return lines.length === 0 ? undefined : lines.join("\n");
  }

  #remember(key: string, isOurs: boolean): void {
    this.#known.delete(key);
    this.#known.set(key, isOurs);
    const [oldest] = this.#known.keys();
    if (this.#known.size > rememberedThreads && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** None when Slack cannot be asked: nobody waits for it. */
async function messagesOf({ channel, ts }: SlackThread, { api }: Workspace) {
  const where = { channel, ts, limit: 50 };
  const answer = await api("conversations.replies", where, timeLimit(lookMs)).catch(() => ({}));
  return "messages" in answer && Array.isArray(answer["messages"]) ? answer["messages"].filter(isRecord) : [];
}
