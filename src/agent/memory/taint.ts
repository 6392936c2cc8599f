import type { CallObserver, Listing } from "#tools";

const outsideToolsets: ReadonlySet<string> = new Set(["web", "browser", "search"]);

/**
 * Whether a turn has read words of strangers: pages, search results, answers of foreign servers. What it
 * then wants to remember waits for the person.
 */
export class TaintWatch {
  #source: string | undefined;

  get source(): string | undefined {
    return this.#source;
  }

  /** A new message of the person: a clean slate. */
  reset(): void {
    this.#source = undefined;
  }

  observer(listing: () => Listing): CallObserver {
    return {
      onEnd: ({ call, kind }) => {
        if (kind !== "succeeded" || this.#source !== undefined) return;
        const tool = listing().tools.get(call.function.name);
        const isForeign = tool?.origin === "mcp" || outsideToolsets.has(tool?.toolset ?? "");
        if (isForeign) this.#source = call.function.name;
      },
    };
  }
}
