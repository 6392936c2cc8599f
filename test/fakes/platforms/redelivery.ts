export interface PushedCall {
  readonly url: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const firstWaitMs = 50;
const longestWaitMs = 4_000;

/**
 * Delivers calls as services do: each by itself, and again, ever more seldom, until it is answered with success, or often
 * enough.
 */
export class Redelivery implements AsyncDisposable {
  readonly #mostAttempts: number;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  #last: PushedCall | undefined;

  constructor({ mostAttempts = Number.POSITIVE_INFINITY } = {}) {
    this.#mostAttempts = mostAttempts;
  }

  push(call: PushedCall): void {
    this.#last = call;
    this.#running.push(this.#deliver(call));
  }

  repeat(): void {
    if (this.#last !== undefined) this.push(this.#last);
  }

  async #deliver({ url, method = "POST", headers, body }: PushedCall): Promise<void> {
    const { signal } = this.#stop;
    for (let attempt = 0; attempt < this.#mostAttempts && !signal.aborted; attempt += 1) {
      const answer = await fetch(url, { method, headers, body, signal }).catch(() => undefined);
      await answer?.text().catch(() => undefined);
      if (answer?.ok === true) return;
      await this.#wait(Math.min(longestWaitMs, firstWaitMs * 2 ** attempt));
    }
  }

  #wait(ms: number): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", end);
      if (signal.aborted) end();
    });
  }

  /** Resolves when every call was answered, or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}
