import { describe } from "#foundation/errors";
import { quietly } from "#foundation/files/quietly";
import { isAbort } from "#foundation/lifecycle/abort";
import { Deferred } from "#foundation/lifecycle/deferred";
import { isLeft, type Serving } from "#store";
import { blame, chatLease, judge } from "../crashes/blame.ts";
import { Company } from "../crashes/company.ts";
import { Chat, type ChatDeps } from "./chat.ts";
import { Seats } from "./seats.ts";

export interface ChatsDeps extends Omit<ChatDeps, "takesSeat"> {
  /** Chats served at the same time. */
  mostAtOnce(): number;
  /** Chats of one person served at the same time. */
  mostPerUser(): number;
  /** Whether another process takes up what this one leaves. */
  hasOthers(): Promise<boolean>;
  /** How long turns that run may take to end when the program does. */
  drainMs(): number;
}

/** How often the inbox is looked at without being woken. */
const sweepEveryMs = 5_000;
/** Many more than there are warm sessions: one that is forgotten here has none. */
const mostFences = 10_000;

/** Serves the chats that have something to do, as many at a time as allowed, the longest waiting first. */
export class Chats {
  readonly #deps: ChatsDeps;
  readonly #active = new Map<string, { readonly chat: Chat; readonly done: Promise<void> }>();
  readonly #waiting = new Set<string>();
  /** Chats that could not be served to the end: the next look wakes them. */
  readonly #again = new Set<string>();
  /** Under which fence a chat was last served here: a gap says that another process had it meanwhile. */
  readonly #fences = new Map<string, number>();
  readonly #seats: Seats;
  readonly #company: Company;
  readonly #isServing = new Deferred<void>();
  #signal: AbortSignal | undefined;
  #serving: Serving | undefined;

  constructor(deps: ChatsDeps) {
    this.#deps = deps;
    this.#seats = new Seats(() => deps.mostPerUser());
    this.#company = new Company(deps.clock);
  }

  get active(): readonly string[] {
    return [...this.#active.keys()];
  }

  /** Settles when it hears of messages. */
  get isServing(): Promise<void> {
    return this.#isServing.promise;
  }

  /** Until the signal; turns that run then get their time, and go on at the next start where that is not enough. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, logger, mostAtOnce } = this.#deps;
    this.#signal = signal;
    await using serving = await store.signals.serve({
      room: () => (signal.aborted ? 0 : mostAtOnce() - this.#active.size - this.#waiting.size),
      woken: (key) => this.wake(key),
      touched: (key) => this.#active.get(key)?.chat.poke(),
    });
    this.#serving = serving;
    this.#isServing.resolve();
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

  /**
   * Turns that run may end; those that take too long are left as a crash would leave them. Chats are told, unless another
   * process goes on at once.
   */
  async #drain(): Promise<void> {
    const { clock, logger } = this.#deps;
    const active = [...this.#active.values()];
    const all = Promise.all(active.map(({ done }) => done));
    const drainMs = this.#deps.drainMs();
    const hasOthers = await this.#deps.hasOthers().catch((error: unknown) => {
      logger.warn("whether others run cannot be told", { error: describe(error) });
      return false;
    });
    for (const { chat } of active) chat.drain(drainMs > 0 && !hasOthers);
    const over = new AbortController();
    if (drainMs > 0) await Promise.race([all, clock.sleep(drainMs, over.signal).catch(() => undefined)]);
    over.abort();
    if (this.#active.size > 0) {
      const { store, owner } = this.#deps;
      const note = () => blame(store, { owner, isDead: false }, clock.now());
      await quietly("noting what is left", note, { logger });
    }
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
      const takesSeat = (person: string): boolean => this.#seats.take(person, key);
      const chat = new Chat(key, { ...this.#deps, takesSeat }, this.#fences.get(key));
      this.#active.set(key, { chat, done: this.#serve(key, chat, signal) });
    }
  }

  async #serve(key: string, chat: Chat, signal: AbortSignal): Promise<void> {
    const { logger } = this.#deps;
    let rests = false;
    try {
      using entered = await this.#enter(key, signal);
      rests = entered === undefined;
      if (rests) this.#again.add(key);
      else await chat.run(signal);
    } catch (error) {
      // Waiting for a place when the program ends: nothing was begun.
      if (!(signal.aborted && isAbort(error)))
        logger.error("a chat could not be served", { key, error: describe(error) });
      this.#again.add(key);
    } finally {
      if (chat.isUnfinished) this.#again.add(key);
      this.#active.delete(key);
      this.#note(key, chat.fence);
    }
    const next = this.#seats.leave(key);
    if (next !== undefined) this.#waiting.add(next);
    if (!rests) await this.#lookAgain(key, chat, signal);
    this.#fill();
    this.#serving?.look();
  }

  /** Beside the other chats, or alone where programs have ended with what is next in it. Undefined: it rests for now. */
  async #enter(key: string, signal: AbortSignal): Promise<Disposable | undefined> {
    const { store, clock, owner } = this.#deps;
    const lease = await store.leases.get(chatLease(key));
    const isOthers = lease !== undefined && lease.owner !== owner && lease.expiresAtMs > 0;
    if (isOthers && !isLeft(lease, clock.now())) return await this.#company.enter(0, signal);
    if (isOthers) await blame(store, { owner: lease.owner, isDead: true }, clock.now());
    const { suspicion, restsUntilMs } = await judge(store, key, clock.now());
    return restsUntilMs > clock.now() ? undefined : await this.#company.enter(suspicion, signal);
  }

  /** What came in after its last look. Whoever serves it elsewhere looks himself. */
  async #lookAgain(key: string, chat: Chat, signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#deps;
    if (chat.isElsewhere || chat.isPutOff) return;
    try {
      const waits = (await store.inbox.pending(key, { limit: 1 })).length > 0;
      if (waits && !signal.aborted) this.#waiting.add(key);
      // This process ends: another takes it up now, and not only when it looks by itself.
      else if (signal.aborted && (waits || chat.isLeft)) await store.signals.wake(key);
    } catch (error) {
      logger.warn("the inbox could not be read", { key, error: describe(error) });
    }
  }

  #note(key: string, fence: number): void {
    if (fence === 0) return;
    this.#fences.delete(key);
    this.#fences.set(key, fence);
    for (const oldest of this.#fences.keys()) {
      if (this.#fences.size <= mostFences) return;
      this.#fences.delete(oldest);
    }
  }
}

/** The inbox also holds what people typed at their terminals; that is their sessions' own. */
function isChat(key: string): boolean {
  return key.startsWith("agent:");
}
