import type { Clock } from "#foundation/time/clock";
import type { ConnectionPorts } from "../../platform/platform.ts";

const usualHoldMs = 2_000;
/** What was written while nobody listened shows that there was something to miss: more of it may be on its way. */
const afterMissedMs = 4_000;
const longestHoldMs = 15_000;
/** Services tell times in whole seconds. */
const secondMs = 1_000;
/** Says that calls were listened for before; the very first start has missed none. */
const positionName = "calls";

/**
 * Calls of a service that repeats each by itself until it is answered: when we are back they come in any order. Those
 * of the first moments wait for one another, unanswered, and are taken in the order in which they were written. As long
 * as missed ones keep coming the moments last, up to a limit. What is repeated later than that comes when it comes.
 */
export class FirstCalls implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #openedAtMs: number;
  readonly #over = new AbortController();
  #untilMs: number;
  #held: { readonly atMs: number; take(): Promise<void> }[] | undefined = [];
  #taken: Promise<unknown> = Promise.resolve();

  private constructor(clock: Clock, holdMs: number) {
    this.#clock = clock;
    this.#openedAtMs = clock.now();
    this.#untilMs = this.#openedAtMs + holdMs;
  }

  /** Holds calls from now on, if this account was listened for before. */
  static async open(
    ports: Pick<ConnectionPorts, "clock" | "position" | "keepPosition" | "isSendOnly">,
    account: string,
  ): Promise<FirstCalls> {
    if (ports.isSendOnly === true) return new FirstCalls(ports.clock, 0);
    const isFirstStart = (await ports.position(account, positionName)) === undefined;
    if (isFirstStart) await ports.keepPosition(account, { name: positionName, value: String(ports.clock.now()) });
    const calls = new FirstCalls(ports.clock, isFirstStart ? 0 : usualHoldMs);
    calls.#taken = calls.#hold().then(
      () => calls.#takeHeld(),
      () => calls.#takeHeld(),
    );
    return calls;
  }

  /** Resolves when it was taken. */
  async take(atMs: number, admit: () => Promise<unknown>): Promise<void> {
    const held = this.#held;
    if (held === undefined) return void (await admit());
    if (atMs <= this.#openedAtMs - secondMs) this.#holdLonger();
    await new Promise<void>((resolve, reject) => {
      const closed = new Error("the connection ended before the call was taken");
      const taken = () => (this.#over.signal.aborted ? Promise.reject(closed) : admit());
      held.push({ atMs, take: () => taken().then(() => resolve(), reject) });
    });
  }

  #holdLonger(): void {
    const untilMs = Math.min(this.#clock.now() + afterMissedMs, this.#openedAtMs + longestHoldMs);
    this.#untilMs = Math.max(this.#untilMs, untilMs);
  }

  async #hold(): Promise<void> {
    for (let nowMs = this.#clock.now(); nowMs < this.#untilMs; nowMs = this.#clock.now())
      await this.#clock.sleep(this.#untilMs - nowMs, this.#over.signal);
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
