import { describe } from "#foundation/errors";
import { isAbort } from "#foundation/lifecycle/abort";
import { isLeft, type Serving } from "#store";
import { Chat, type ChatDeps } from "./chat.ts";

export interface ChatsDeps extends ChatDeps {
  /** Chats served at the same time. */
  mostAtOnce(): number;
  /** How long turns that run may take to end when the program does. */
  drainMs(): number;
}

/** How often the inbox is looked at without being woken. */
const sweepEveryMs = 5_000;

/** Serves the chats that have something to do, as many at a time as allowed, the longest waiting first. */
export class Chats {
  readonly #deps: ChatsDeps;
  readonly #active = new Map<string, { readonly chat: Chat; readonly done: Promise<void> }>();
  readonly #waiting = new Set<string>();
  /** Chats that could not be served to the end: the next look wakes them. */
  readonly #again = new Set<string>();
  #signal: AbortSignal | undefined;
  #serving: Serving | undefined;

  constructor(deps: ChatsDeps) {
    this.#deps = deps;
  }

  get active(): readonly string[] {
    return [...this.#active.keys()];
  }

  /** Until the signal; turns that run then get their time, and go on at the next start where that is not enough. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, logger, mostAtOnce } = this.#deps;
    this.#signal = signal;
    await using serving = await store.signals.serve({
      room: () => mostAtOnce() - this.#active.size - this.#waiting.size,
      woken: (key) => this.wake(key),
      touched: (key) => this.#active.get(key)?.chat.poke(),
    });
    this.#serving = serving;
    while (!signal.aborted) {
      try {
        for (const key of await this.#forgotten()) {
          const here = this.#active.get(key);
          if (here === undefined) await store.signals.wake(key);
          else here.chat.poke();
        }
      } catch (error) {
        logger.error("the inbox could not be read", { error: describe(error) });
      }
      await clock.sleep(sweepEveryMs, signal).catch((error: unknown) => {
        if (!isAbort(error)) throw error;
      });
    }
    await this.#drain();
  }

  /** Chats that wait although no hint told of them, or whose program has died. */
  async #forgotten(): Promise<ReadonlySet<string>> {
    const { store, clock } = this.#deps;
    const waiting = await store.inbox.waitingSessions(1_000);
    const inProgress = await store.gatewayTurns.inProgress();
    const left = inProgress.filter(({ lease }) => isLeft(lease, clock.now())).map(({ sessionKey }) => sessionKey);
    const again = [...this.#again];
    this.#again.clear();
    return new Set([...waiting, ...left, ...again].filter(isChat));
  }

  /** Turns that run may end; those that take too long are left as a crash would leave them. */
  async #drain(): Promise<void> {
    const { clock } = this.#deps;
    const active = [...this.#active.values()];
    const all = Promise.all(active.map(({ done }) => done));
    const drainMs = this.#deps.drainMs();
    for (const { chat } of active) chat.drain(drainMs > 0);
    const over = new AbortController();
    if (drainMs > 0) await Promise.race([all, clock.sleep(drainMs, over.signal).catch(() => undefined)]);
    over.abort();
    for (const { chat } of active) chat.breakOff();
    await all;
  }

  wake(key: string): void {
    const active = this.#active.get(key);
    if (active !== undefined) active.chat.poke();
    else this.#waiting.add(key);
    this.#fill();
  }

  #fill(): void {
    const signal = this.#signal;
    if (signal === undefined || signal.aborted) return;
    for (const key of this.#waiting) {
      if (this.#active.size >= this.#deps.mostAtOnce()) return;
      this.#waiting.delete(key);
      const chat = new Chat(key, this.#deps);
      this.#active.set(key, { chat, done: this.#serve(key, chat, signal) });
    }
  }

  async #serve(key: string, chat: Chat, signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#deps;
    try {
      await chat.run(signal);
    } catch (error) {
      logger.error("a chat could not be served", { key, error: describe(error) });
      this.#again.add(key);
    } finally {
      if (chat.isUnfinished) this.#again.add(key);
      this.#active.delete(key);
    }
    // What came in after its last look. Whoever serves it elsewhere looks himself.
    const looks = !signal.aborted && !chat.isElsewhere;
    if (looks && (await store.inbox.pending(key, { limit: 1 }).catch(() => [])).length > 0) this.#waiting.add(key);
    this.#fill();
    this.#serving?.look();
  }
}

/** The inbox also holds what people typed at their terminals; that is their sessions' own. */
function isChat(key: string): boolean {
  return key.startsWith("agent:");
}
