import type { SessionId } from "#conversation";
import { onAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { BorrowOptions, OpenOptions, OpenSession } from "./api.ts";
import type { SessionFront } from "./front/session-front.ts";
import { loanOf } from "./loan.ts";
import type { BackgroundWork } from "./turns/background-work.ts";

export interface LendingDeps {
  readonly clock: Clock;
  readonly settings: { readonly idleCloseMs: number; readonly maxIdle: number };
  readonly work: BackgroundWork;
  open(options: OpenOptions): Promise<SessionFront>;
  /** Where a session goes on: the newest part of it. */
  tipOf(id: SessionId): Promise<SessionId>;
}

/** A session that is lent, or kept warm for whoever needs it next. */
interface Lent {
  key: string | undefined;
  /** The part it was opened at, until the session itself can be asked. */
  readonly openedAt: SessionId | undefined;
  readonly opening: Promise<SessionFront>;
  front: SessionFront | undefined;
  loans: number;
  usedAtMs: number;
}

/**
 * Sessions that several surfaces hold at once.
 *
 * 1. A session is open once, however many borrow it, also while it is being opened or put away.
 * 2. One that is given back by everybody stays warm; the longest unused goes when its time is over or when too many are warm.
 * 3. One that works, waits for an answer or has programs running is not put away, whatever its age.
 * 4. One timer serves all of them.
 */
export class Lending implements AsyncDisposable {
  readonly #deps: LendingDeps;
  readonly #lent = new Set<Lent>();
  readonly #leaving = new Map<Lent, Promise<void>>();
  #wake: AbortController | undefined;

  constructor(deps: LendingDeps) {
    this.#deps = deps;
  }

  async borrow({ key, isOvertaken, ...options }: BorrowOptions): Promise<OpenSession> {
    const tip = options.resume === undefined ? undefined : await this.#deps.tipOf(options.resume);
    if (isOvertaken === true) this.#giveUp(key, tip);
    for (;;) {
      const leaving = this.#find([...this.#leaving.keys()], key, tip);
      if (leaving === undefined) break;
      await this.#leaving.get(leaving);
    }
    const lent = this.#find([...this.#lent], key, tip) ?? this.#open(options, { key, openedAt: tip });
    lent.key ??= key;
    lent.loans += 1;
    try {
      const front = await lent.opening;
      front.adopt(options);
      return loanOf(front, options.source, () => this.#giveBack(lent));
    } catch (error) {
      lent.loans -= 1;
      this.#lent.delete(lent);
      throw error;
    }
  }

  /** Puts away what nobody holds. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const lent of this.#warm()) this.#putAway(lent);
    await Promise.all(this.#leaving.values());
  }

  #open(options: OpenOptions, { key, openedAt }: Pick<Lent, "key" | "openedAt">): Lent {
    const opening = this.#deps.open(options);
    const lent: Lent = { key, openedAt, opening, front: undefined, loans: 0, usedAtMs: this.#deps.clock.now() };
    opening.then(
      (front) => {
        lent.front = front;
      },
      // Whoever borrows it is told.
      () => undefined,
    );
    this.#lent.add(lent);
    return lent;
  }

  /** Nobody gets what is open of it any more; whoever still holds it is refused with the next input. */
  #giveUp(key: string | undefined, tip: SessionId | undefined): void {
    for (let old = this.#find([...this.#lent], key, tip); old?.front !== undefined; ) {
      old.front.breakOff();
      if (old.loans === 0) this.#putAway(old);
      old = this.#find([...this.#lent], key, tip);
    }
  }

  /** By the key first: a chat keeps its session when `/new` begins another conversation in it. */
  #find(among: readonly Lent[], key: string | undefined, tip: SessionId | undefined): Lent | undefined {
    const usable = among.filter(({ front }) => front?.isLost !== true);
    const idOf = (lent: Lent): SessionId | undefined => lent.front?.info.id ?? lent.openedAt;
    const byKey = key === undefined ? undefined : usable.find((lent) => lent.key === key);
    return byKey ?? (tip === undefined ? undefined : usable.find((lent) => idOf(lent) === tip));
  }

  #giveBack(lent: Lent): void {
    lent.loans -= 1;
    lent.usedAtMs = this.#deps.clock.now();
    if (lent.loans > 0 || lent.front === undefined) return;
    const { front } = lent;
    if (front.isLost) this.#putAway(lent);
    this.#makeRoom();
    // A turn that goes on without anybody is followed by the same look.
    if (!front.isIdle) this.#deps.work.start("settling", () => front.settled().then(() => this.#makeRoom()));
    this.#watch();
  }

  #warm(): readonly Lent[] {
    return [...this.#lent].filter(({ loans, front }) => loans === 0 && front !== undefined);
  }

  #makeRoom(): void {
    const idle = this.#warm()
      .filter(({ front }) => front?.isIdle === true)
      .sort((left, right) => left.usedAtMs - right.usedAtMs);
    for (const lent of idle.slice(0, Math.max(0, idle.length - this.#deps.settings.maxIdle))) this.#putAway(lent);
  }

  #putAway(lent: Lent): void {
    this.#lent.delete(lent);
    const leaving = (lent.front?.putAway() ?? Promise.resolve()).finally(() => this.#leaving.delete(lent));
    this.#leaving.set(lent, leaving);
    this.#deps.work.start("putting a session away", () => leaving);
  }

  /** Looks again when the next one's time is over; ends when none is warm. */
  #watch(): void {
    if (this.#wake !== undefined) return;
    const wake = new AbortController();
    this.#wake = wake;
    const { clock, settings, work } = this.#deps;
    work.start("idle sessions", async (signal) => {
      using _stop = onAbort(signal, () => wake.abort());
      try {
        for (let warm = this.#warm(); warm.length > 0; warm = this.#warm()) {
          const dueMs = Math.min(...warm.map(({ usedAtMs }) => usedAtMs)) + settings.idleCloseMs;
          await clock.sleep(Math.max(0, dueMs - clock.now()), wake.signal);
          this.#putAwayDue();
        }
      } finally {
        this.#wake = undefined;
      }
    });
  }

  #putAwayDue(): void {
    const nowMs = this.#deps.clock.now();
    for (const lent of this.#warm()) {
      if (nowMs - lent.usedAtMs < this.#deps.settings.idleCloseMs) continue;
      if (lent.front?.isIdle === true) this.#putAway(lent);
      else lent.usedAtMs = nowMs;
    }
  }
}
