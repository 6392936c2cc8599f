import { onAbort } from "#foundation/lifecycle/abort";

interface Waiting<T> {
  readonly key: string;
  readonly item: T;
  readonly resolve: () => void;
}

/**
 * Who comes next: whoever was served longest ago, and among those whoever came first. A session with ten requests does
 * not keep another from its one.
 */
export class FairQueue<T> {
  #waiting: readonly Waiting<T>[] = [];
  readonly #served = new Map<string, number>();
  #count = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** Settles when `next` has chosen this one; rejects with the reason of an abort. */
  wait(key: string, item: T, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const one: Waiting<T> = {
        key,
        item,
        resolve() {
          aborted[Symbol.dispose]();
          resolve();
        },
      };
      const aborted = onAbort(signal, (reason) => {
        this.#waiting = this.#waiting.filter((other) => other !== one);
        reject(reason);
      });
      this.#waiting = [...this.#waiting, one];
    });
  }

  /** The request whose turn it is; it stays in line until it is taken. */
  peek(): T | undefined {
    return this.#first()?.item;
  }

  take(): void {
    const first = this.#first();
    if (first === undefined) return;
    this.#waiting = this.#waiting.filter((one) => one !== first);
    this.#count += 1;
    this.#served.delete(first.key);
    this.#served.set(first.key, this.#count);
    // Long-gone sessions are as good as new ones.
    const [oldest] = this.#served.keys();
    if (this.#served.size > 1000 && oldest !== undefined) this.#served.delete(oldest);
    first.resolve();
  }

  #first(): Waiting<T> | undefined {
    const turnOf = ({ key }: Waiting<T>): number => this.#served.get(key) ?? 0;
    return this.#waiting.reduce<Waiting<T> | undefined>(
      (best, one) => (best === undefined || turnOf(one) < turnOf(best) ? one : best),
      undefined,
    );
  }
}
