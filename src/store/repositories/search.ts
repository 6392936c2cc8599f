import type { SearchHit, SearchOptions } from "../records/message.ts";
import type { Search } from "../store.ts";
import { messageRowCount } from "../work/size.ts";
import type { RepositoryContext } from "./context.ts";

export class SearchRepository implements Search {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async messages(query: string, options: SearchOptions = {}): Promise<readonly SearchHit[]> {
    const { signal, ...input } = options;
    const weightMs = (await messageRowCount(this.#context.db)) / 500;
    const hits = await this.#context.heavy.run("search-messages", { query, ...input }, { weightMs, signal });
    this.#context.onSearched?.();
    return hits;
  }
}
