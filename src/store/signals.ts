import type { Database } from "./database.ts";

/**
 * Hints among all programs on one store: a session has something to do, an account owes something. Truth is in the
 * tables, so a hint may come twice or be lost; whoever waits for one also looks there by himself every few seconds.
 */
export interface Signals {
  /** Some worker with room looks at this session, and so does whoever serves it already. */
  wake(sessionKey: string, options?: { readonly inMs?: number }): Promise<void>;
  /** From now on this program serves sessions. */
  serve(worker: SessionWorker): Promise<Serving>;
  onOwed(listener: OwedListener): Disposable;
  /** Says something to every program on the store that listens, this one included. Nobody who starts later hears it. */
  announce(announcement: Announcement): Promise<void>;
  onAnnounced(listener: AnnouncementListener): Disposable;
}

export interface SessionWorker {
  /** How many more sessions it can serve now. */
  room(): number;
  woken(sessionKey: string): void;
  /** Something happened in a session: for whoever serves it already. */
  touched(sessionKey: string): void;
}

export interface Serving extends AsyncDisposable {
  /** There is room again. */
  look(): void;
}

/** `restart`: let the turns that run end, and start anew. */
export type Announcement = "restart";
export type AnnouncementListener = (announcement: Announcement) => void;

export type OwedListener = (platform: string, account: string) => void;

export type Hint =
  | { readonly kind: "wake"; readonly sessionKey: string }
  | { readonly kind: "owed"; readonly platform: string; readonly account: string };

/** How repositories give hints with what they write: they are heard once it is committed. */
export interface HintWriter {
  /** Awaited before a transaction that gives hints. */
  ready(): Promise<void>;
  write(db: Database, hint: Hint): Promise<void>;
}

/** Within one process, for a store that one process serves. */
export class LocalSignals implements Signals, HintWriter, Disposable {
  readonly #workers = new Set<SessionWorker>();
  readonly #owed = new Set<OwedListener>();
  readonly #announced = new Set<AnnouncementListener>();
  readonly #timers = new Set<NodeJS.Timeout>();

  wake(sessionKey: string, { inMs = 0 }: { readonly inMs?: number } = {}): Promise<void> {
    const tell = (): void => this.#tell({ kind: "wake", sessionKey });
    if (inMs <= 0) tell();
    else this.#timers.add(timer(inMs, this.#timers, tell));
    return Promise.resolve();
  }

  serve(worker: SessionWorker): Promise<Serving> {
    this.#workers.add(worker);
    const end = (): Promise<void> => {
      this.#workers.delete(worker);
      return Promise.resolve();
    };
    return Promise.resolve({ look: () => undefined, [Symbol.asyncDispose]: end });
  }

  onOwed(listener: OwedListener): Disposable {
    this.#owed.add(listener);
    return { [Symbol.dispose]: () => void this.#owed.delete(listener) };
  }

  announce(announcement: Announcement): Promise<void> {
    for (const listener of this.#announced) listener(announcement);
    return Promise.resolve();
  }

  onAnnounced(listener: AnnouncementListener): Disposable {
    this.#announced.add(listener);
    return { [Symbol.dispose]: () => void this.#announced.delete(listener) };
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  write(db: Database, hint: Hint): Promise<void> {
    db.afterCommit(() => this.#tell(hint));
    return Promise.resolve();
  }

  [Symbol.dispose](): void {
    for (const one of this.#timers) clearTimeout(one);
  }

  #tell(hint: Hint): void {
    if (hint.kind === "owed") for (const listener of this.#owed) listener(hint.platform, hint.account);
    else
      for (const worker of this.#workers) {
        worker.touched(hint.sessionKey);
        worker.woken(hint.sessionKey);
      }
  }
}

/** Runs once and leaves the set; a process does not stay for it. */
export function timer(ms: number, among: Set<NodeJS.Timeout>, act: () => void): NodeJS.Timeout {
  const one = setTimeout(() => {
    among.delete(one);
    act();
  }, ms).unref();
  return one;
}
