import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { SessionEvent } from "./api.ts";

type Listener = (event: SessionEvent) => void;

const mostKept = 50;

/**
 * Hands the events of a session to whoever draws them, in order. What is said before anybody listens
 * waits for the first listener; one that throws is dropped, and the others go on.
 */
export class EventHub {
  readonly #logger: Logger;
  #listeners: readonly Listener[] = [];
  #unheard: SessionEvent[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get hasListeners(): boolean {
    return this.#listeners.length > 0;
  }

  subscribe(listener: Listener): Disposable {
    const one: Listener = (event) => listener(event);
    this.#listeners = [...this.#listeners, one];
    const unheard = this.#unheard.splice(0);
    for (const event of unheard) this.#tell(one, event);
    return { [Symbol.dispose]: () => this.#remove(one) };
  }

  emit(event: SessionEvent): void {
    if (!this.hasListeners && event.type === "notice" && this.#unheard.length < mostKept) this.#unheard.push(event);
    for (const listener of this.#listeners) this.#tell(listener, event);
  }

  #tell(listener: Listener, event: SessionEvent): void {
    try {
      listener(event);
    } catch (error) {
      this.#remove(listener);
      this.#logger.warn("a listener failed and is no longer told", { event: event.type, error: describe(error) });
    }
  }

  #remove(gone: Listener): void {
    this.#listeners = this.#listeners.filter((listener) => listener !== gone);
  }
}
