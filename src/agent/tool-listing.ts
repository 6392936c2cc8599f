import { extendListing, type Listing, type Tool } from "#tools";

/** Where the tools of a session come from. */
export interface ToolSource {
  list(signal: AbortSignal): Promise<Listing>;
  /** Lets changes of MCP servers in. Another value than before means that the tools are to be listed again. */
  refresh(signal: AbortSignal): Promise<number | string>;
}

/** What the model of one agent is shown. It changes between turns only, and only when a server's tools have, or a model that reads fewer of them took over. */
export class ToolListing {
  readonly #source: ToolSource;
  #listing: Listing;
  #changes: number | string;
  #more: readonly Tool[] = [];

  private constructor(source: ToolSource, state: { readonly listing: Listing; readonly changes: number | string }) {
    this.#source = source;
    this.#listing = state.listing;
    this.#changes = state.changes;
  }

  static async open(source: ToolSource, signal: AbortSignal): Promise<ToolListing> {
    const listing = await source.list(signal);
    return new ToolListing(source, { listing, changes: await source.refresh(signal) });
  }

  /** For an agent whose tools never change. */
  static fixed(listing: Listing): ToolListing {
    const source = { list: () => Promise.resolve(listing), refresh: () => Promise.resolve(0) };
    return new ToolListing(source, { listing, changes: 0 });
  }

  get listing(): Listing {
    return this.#listing;
  }

  /** Tools of this session alone, beside those of the program. */
  extend(tools: readonly Tool[]): void {
    if (tools.length === 0) return;
    this.#more = [...this.#more, ...tools];
    this.#listing = extendListing(this.#listing, tools);
  }

  /** Called between turns; true when the tools are others now. */
  async refresh(signal: AbortSignal): Promise<boolean> {
    const changes = await this.#source.refresh(signal);
    if (changes === this.#changes) return false;
    this.#listing = extendListing(await this.#source.list(signal), this.#more);
    this.#changes = changes;
    return true;
  }
}
