import type { OpenSession, SessionEvent } from "#session";

export interface OpeningListener {
  readonly onReady: (session: OpenSession) => void;
  readonly onRefused: (error: unknown) => void;
}

/** The session on the screen, its events, and those sessions this UI opened itself. */
export class SessionLink implements AsyncDisposable {
  readonly #onEvent: (event: SessionEvent) => void;
  #current: OpenSession | undefined;
  #owned: OpenSession | undefined;
  #subscription: Disposable | undefined;

  constructor(onEvent: (event: SessionEvent) => void) {
    this.#onEvent = onEvent;
  }

  get current(): OpenSession | undefined {
    return this.#current;
  }

  /** Takes the session when it is there; the UI does not wait for it. */
  async open(input: OpenSession | Promise<OpenSession>, told: OpeningListener): Promise<void> {
    if (!("then" in input)) {
      await this.attach(input, false);
      told.onReady(input);
      return;
    }
    void input.then(async (session) => {
      await this.attach(session, false);
      told.onReady(session);
    }, told.onRefused);
  }

  /** Events of the former session are no longer heard. */
  async attach(session: OpenSession, isOwned: boolean): Promise<void> {
    this.#subscription?.[Symbol.dispose]();
    const former = this.#owned;
    this.#owned = isOwned ? session : undefined;
    this.#current = session;
    this.#subscription = session.subscribe(this.#onEvent);
    await former?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = undefined;
    const owned = this.#owned;
    this.#owned = undefined;
    await owned?.[Symbol.asyncDispose]();
  }
}
