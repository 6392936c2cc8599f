export interface PushedCall {
  readonly url: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Delivers calls as services do: again, until they are answered with success. */
export class Redelivery implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  #last: PushedCall | undefined;

  push(call: PushedCall): void {
    this.#last = call;
    this.#running.push(this.#deliver(call));
  }

  repeat(): void {
    if (this.#last !== undefined) this.push(this.#last);
  }

  async #deliver({ url, method = "POST", headers, body }: PushedCall): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const answer = await fetch(url, { method, headers, body, signal }).catch(() => undefined);
      await answer?.text().catch(() => undefined);
      if (answer?.ok === true) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}
