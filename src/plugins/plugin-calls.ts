import { AsyncLocalStorage } from "node:async_hooks";
import type { CallPlace } from "#tools";

/**
 * For which session the code of a plugin runs. A tool, a hook or a command of a plugin is called for one session;
 * whatever it starts from there, now or later, belongs to that one.
 */
export class PluginCalls {
  readonly #running = new AsyncLocalStorage<CallPlace>();

  run<T>(place: CallPlace | undefined, work: () => T): T {
    return place === undefined ? work() : this.#running.run(place, work);
  }

  get current(): CallPlace | undefined {
    return this.#running.getStore();
  }
}
