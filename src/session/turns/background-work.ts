import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";

/** Work nobody waits for, but somebody owns: it is ended with the session, and a failure is in the log. */
export class BackgroundWork implements AsyncDisposable {
  readonly #logger: Logger;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  start(name: string, work: (signal: AbortSignal) => Promise<unknown>): void {
    if (this.#stop.signal.aborted) return;
    const running = Promise.resolve()
      .then(() => work(this.#stop.signal))
      .then(
        () => undefined,
        (error: unknown) => {
          if (!this.#stop.signal.aborted) this.#logger.warn("background work failed", { name, error: describe(error) });
        },
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when everything started so far, and what that started, is over. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.idle();
  }
}
