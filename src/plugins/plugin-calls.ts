import { AsyncLocalStorage } from "node:async_hooks";
import type { CallLocation } from "#tools";

/**
 * For which session the code of a plugin runs. A tool, a hook or a command of a plugin is called for one session;
 * whatever it starts from there, now or later, belongs to that one.
 */
export class PluginCalls {
  readonly #running = new AsyncLocalStorage<CallLocation>();

  run<T>(location: CallLocation | undefined, work: () => T): T {
    return location === undefined ? work() : this.#running.run(location, work);
  }

  get current(): CallLocation | undefined {
    return this.#running.getStore();
  }
}
