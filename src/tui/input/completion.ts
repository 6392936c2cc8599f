import { describe } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { isAbort } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { Completion } from "#session";

const debounceMs = 60;

export interface CompletionDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly complete: (line: string, signal: AbortSignal) => Promise<readonly Completion[]>;
  readonly onItems: (line: string, items: readonly Completion[]) => void;
}

/** Asks for completions when the typing pauses; a newer question ends the older one. */
export class Completer implements Disposable {
  readonly #deps: CompletionDeps;
  #asking: AbortController | undefined;
  #line: string | undefined;

  constructor(deps: CompletionDeps) {
    this.#deps = deps;
  }

  /** The line as it is now; undefined when there is nothing to complete. */
  update(line: string | undefined): void {
    if (line === this.#line) return;
    this.#line = line;
    this.#asking?.abort();
    this.#asking = undefined;
    if (line === undefined) return;
    this.#asking = new AbortController();
    void this.#ask(line, this.#asking.signal);
  }

  [Symbol.dispose](): void {
    this.#asking?.abort();
  }

  async #ask(line: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#deps.clock.sleep(debounceMs, signal);
      const items = await this.#deps.complete(line, signal);
      if (!signal.aborted) this.#deps.onItems(line, items);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.#deps.log.warn("Completion failed.", { error: describe(error) });
    }
  }
}
