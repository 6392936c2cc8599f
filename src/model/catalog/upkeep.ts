import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { ModelCatalog } from "./catalog.ts";

/** Nobody waits longer for a list; what comes later is there the next time. */
const patienceMs = 3_000;

/** Renews the catalogue behind the work, as far as what is in use is looked up in it. */
export class CatalogueUpkeep implements AsyncDisposable {
  readonly #catalog: ModelCatalog;
  readonly #isEnabled: boolean;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(catalog: ModelCatalog, isEnabled: boolean) {
    this.#catalog = catalog;
    this.#isEnabled = isEnabled;
  }

  /** For a model that is about to be used. */
  for(question: { readonly provider: string; readonly model: string }): void {
    if (this.#isEnabled) void this.#run(this.#catalog.refresh(question, this.#stop.signal));
  }

  /** For somebody who chooses among models; waits a moment where no catalogue is known yet. */
  async forChoice(signal: AbortSignal): Promise<void> {
    if (!this.#isEnabled) return;
    const running = this.#run(this.#catalog.refreshPublic(this.#stop.signal));
    if (this.#catalog.hasPublic) return;
    using limit = deadline(patienceMs);
    try {
      await raceAbort(running, linkSignals(signal, limit.signal));
    } catch (error) {
      if (signal.aborted || !limit.signal.aborted) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  #run(refreshing: Promise<void>): Promise<void> {
    const running = refreshing.finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }
}
