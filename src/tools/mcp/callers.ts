import { linkSignals, sleep } from "#foundation/lifecycle/abort";
import { disposable } from "#foundation/lifecycle/disposal";
import type { Clock } from "#foundation/time/clock";
import type { ToolContext } from "../contract/context.ts";
import type { SessionScope } from "../contract/session-scope.ts";

/** One request of a conversation that a server is working on. */
export interface Caller {
  readonly scope: SessionScope;
  /** Fires when nobody waits for the request any more. */
  readonly signal: AbortSignal;
  /** The person is being asked: until this is disposed, the time of the request stands still. */
  hold(): Disposable;
}

const sliceMs = 250;

/** The requests a server is working on, and the time each of them has. */
export class Callers {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #active = new Set<Caller>();

  /** Limits of requests are real time, as those of every exchange are. */
  constructor(clock: Pick<Clock, "sleep"> = { sleep }) {
    this.#clock = clock;
  }

  /** On whose behalf it works; undefined when on nobody's, or when the requests are of different conversations. */
  get current(): Caller | undefined {
    const [first, ...others] = this.#active;
    return others.every(({ scope }) => scope.key === first?.scope.key) ? first : undefined;
  }

  /** Runs a request; its signal fires when the caller stops it, when its time is over, and when it has ended. */
  async run<T>(
    context: Pick<ToolContext, "scope" | "signal">,
    timeoutMs: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const over = new AbortController();
    let holds = 0;
    const caller: Caller = {
      scope: context.scope,
      signal: linkSignals(context.signal, over.signal),
      hold: () => {
        holds += 1;
        return disposable(() => {
          holds -= 1;
        });
      },
    };
    this.#active.add(caller);
    const timing = this.#time({ timeoutMs, isHeld: () => holds > 0 }, over);
    try {
      return await work(caller.signal);
    } finally {
      this.#active.delete(caller);
      over.abort();
      await timing;
    }
  }

  async #time(
    { timeoutMs, isHeld }: { readonly timeoutMs: number; isHeld(): boolean },
    over: AbortController,
  ): Promise<void> {
    let leftMs = timeoutMs;
    try {
      while (leftMs > 0) {
        const waitMs = Math.min(leftMs, sliceMs);
        await this.#clock.sleep(waitMs, over.signal);
        if (!isHeld()) leftMs -= waitMs;
      }
    } catch (error) {
      if (over.signal.aborted) return;
      throw error;
    }
    over.abort(Object.assign(new Error("Request timed out"), { code: "REQUEST_TIMEOUT" }));
  }
}
