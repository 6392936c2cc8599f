import type { ConnectionPorts } from "../../platform/platform.ts";

const holdMs = 2_000;
/** Says that calls were listened for before; the very first start has missed none. */
const positionName = "calls";

/**
 * Calls of a service that repeats each by itself until it is answered: when we are back they come in any order. Those
 * of the first moments wait for one another, unanswered, and are taken in the order in which they were written. What is
 * repeated later than that comes when it comes.
 */
export class FirstCalls implements AsyncDisposable {
  readonly #over = new AbortController();
  #held: { readonly atMs: number; take(): Promise<void> }[] | undefined = [];
  #taken: Promise<unknown> = Promise.resolve();

  /** Holds calls from now on, if this account was listened for before. */
  static async open(ports: ConnectionPorts, account: string): Promise<FirstCalls> {
    const calls = new FirstCalls();
    const isFirstStart = (await ports.position(account, positionName)) === undefined;
    if (isFirstStart) await ports.keepPosition(account, { name: positionName, value: String(ports.clock.now()) });
    calls.#taken = (isFirstStart ? Promise.resolve() : ports.clock.sleep(holdMs, calls.#over.signal)).then(
      () => calls.#takeHeld(),
      () => calls.#takeHeld(),
    );
    return calls;
  }

  /** Resolves when it was taken. */
  async take(atMs: number, admit: () => Promise<unknown>): Promise<void> {
    const held = this.#held;
    if (held === undefined) return void (await admit());
    await new Promise<void>((resolve, reject) => {
      const closed = new Error("the connection ended before the call was taken");
      const taken = () => (this.#over.signal.aborted ? Promise.reject(closed) : admit());
      held.push({ atMs, take: () => taken().then(() => resolve(), reject) });
    });
  }

  async #takeHeld(): Promise<void> {
    // Whatever comes while they are taken waits with them.
    for (let now = this.#held ?? []; now.length > 0; now = this.#held ?? []) {
      this.#held = [];
      for (const { take } of now.toSorted((one, other) => one.atMs - other.atMs)) await take();
    }
    this.#held = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#taken;
  }
}
