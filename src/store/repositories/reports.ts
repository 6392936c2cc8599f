import type { Insights, InsightsOptions, StoreStatistics } from "../records/report.ts";
import type { Reports } from "../store.ts";
import { messageRowCount } from "../work/size.ts";
import type { RepositoryContext } from "./context.ts";

export class ReportRepository implements Reports {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async insights(options: InsightsOptions): Promise<Insights> {
    const { signal, ...input } = options;
    return await this.#context.heavy.run("insights", input, { weightMs: await this.#weightMs(), signal });
  }

  async statistics(options: { signal?: AbortSignal } = {}): Promise<StoreStatistics> {
    return await this.#context.heavy.run(
      "statistics",
      {},
      { weightMs: await this.#weightMs(), signal: options.signal },
    );
  }

  async #weightMs(): Promise<number> {
    return (await messageRowCount(this.#context.db)) / 500;
  }
}
