import { Mutex } from "#foundation/lifecycle/mutex";
import type { Clock } from "#foundation/time/clock";
import type { Destination, Outbound, SendResult } from "../platform/outbound.ts";
import type { Connection, Platform, SendContext } from "../platform/platform.ts";
import { TokenBucket } from "./token-bucket.ts";

const chatBurst = 3;
const mostChats = 2_000;

export interface OutletDeps {
  readonly clock: Clock;
  /** Something owed waits so long for the platform's pace. */
  onWait?(waitMs: number): void;
}

interface ChatLane {
  readonly mutex: Mutex;
  readonly bucket: TokenBucket;
}

/**
 * The one way out to an account. Within a chat one thing goes at a time, so that what was asked for later is never
 * overtaken. What is owed waits for the platform's pace; what only shows progress goes when there is room, or not at all.
 */
export class Outlet {
  readonly connection: Connection;
  readonly platform: Platform;
  readonly #clock: Clock;
  readonly #onWait: OutletDeps["onWait"];
  readonly #account: TokenBucket;
  readonly #chats = new Map<string, ChatLane>();

  constructor(connection: Connection, platform: Platform, { clock, onWait }: OutletDeps) {
    this.connection = connection;
    this.platform = platform;
    this.#clock = clock;
    this.#onWait = onWait;
    const { account } = platform.capabilities.rate;
    this.#account = new TokenBucket({ perSecond: account, burst: Math.max(1, account) }, clock);
  }

  /** Runs once this chat's turn has come and the platform's pace allows it; nothing else goes to the chat meanwhile. */
  async inTurn<T>(chatId: string, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    const lane = this.#lane(chatId);
    return await lane.mutex.run(async () => {
      const waitMs = Math.max(lane.bucket.take(), this.#account.take());
      if (waitMs > 0) {
        this.#onWait?.(waitMs);
        await this.#clock.sleep(waitMs, signal);
      }
      return await act();
    });
  }

  /** Undefined when there is no room for it now. Leaves one place free for what is owed. */
  async sendIfRoom(to: Destination, message: Outbound, context: SendContext): Promise<SendResult | undefined> {
    const lane = this.#lane(to.chatId);
    if (lane.mutex.isLocked || !lane.bucket.has(2) || !this.#account.has(2)) return undefined;
    return await this.inTurn(to.chatId, context.signal, () => this.connection.send(to, message, context));
  }

  /** Resolves when nothing is on its way to this chat. */
  async settled(chatId: string): Promise<void> {
    await this.#chats.get(chatId)?.mutex.run(() => Promise.resolve());
  }

  #lane(chatId: string): ChatLane {
    const known = this.#chats.get(chatId);
    if (known !== undefined) {
      this.#chats.delete(chatId);
      this.#chats.set(chatId, known);
      return known;
    }
    const { chat } = this.platform.capabilities.rate;
    const lane = {
      mutex: new Mutex(),
      bucket: new TokenBucket({ perSecond: chat, burst: Math.max(chatBurst, chat) }, this.#clock),
    };
    this.#chats.set(chatId, lane);
    for (const [oldest, { mutex }] of this.#chats) {
      if (this.#chats.size <= mostChats) break;
      if (!mutex.isLocked) this.#chats.delete(oldest);
    }
    return lane;
  }
}
