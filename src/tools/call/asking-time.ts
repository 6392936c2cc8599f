import type { Clock } from "#foundation/time/clock";
import type { SessionScope } from "../contract/session-scope.ts";

/** Counts how long a call waits for a person, so that it does not pass for work. Questions that overlap count once. */
export class AskingTime {
  readonly #clock: Clock;
  #open = 0;
  #since = 0;
  #totalMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get totalMs(): number {
    return this.#totalMs + (this.#open > 0 ? this.#clock.now() - this.#since : 0);
  }

  /** The same scope; asking its person is counted. */
  watch(scope: SessionScope): SessionScope {
    const { approver, prompter } = scope;
    return {
      ...scope,
      approver: {
        ask: (request, signal) => this.#counted(approver.ask(request, signal)),
        canAsk: (about) => approver.canAsk?.(about) ?? true,
      },
      prompter: {
        question: (text, choices, signal) => this.#counted(prompter.question(text, choices, signal)),
        secret: (request, signal) => this.#counted(prompter.secret(request, signal)),
      },
    };
  }

  async #counted<T>(asking: Promise<T>): Promise<T> {
    if (this.#open === 0) this.#since = this.#clock.now();
    this.#open += 1;
    try {
      return await asking;
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#totalMs += this.#clock.now() - this.#since;
    }
  }
}
