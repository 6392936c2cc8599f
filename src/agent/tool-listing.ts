import { extendListing, type Listing, type Tool } from "#tools";

/** Where the tools of a session come from. */
export interface ToolSource {
  list(signal: AbortSignal): Promise<Listing>;
  /** Another value than before means that the tools are to be listed again. */
  version(): string;
  /** MCP servers have something new, which is not in the version yet. */
  hasNews(): boolean;
  letIn(signal: AbortSignal): Promise<void>;
}

/** What the model of one agent is shown. It changes between turns only, and only when a server's tools have, or a model that reads fewer of them took over. */
export class ToolListing {
  readonly #source: ToolSource;
  #listing: Listing;
  #version: string;
  #more: readonly Tool[] = [];

  private constructor(source: ToolSource, listing: Listing) {
    this.#source = source;
    this.#listing = listing;
    this.#version = source.version();
  }

  static async open(source: ToolSource, signal: AbortSignal): Promise<ToolListing> {
    const listing = await source.list(signal);
    if (source.hasNews()) await source.letIn(signal);
    return new ToolListing(source, listing);
  }

  /** For an agent whose tools never change. */
  static fixed(listing: Listing): ToolListing {
    const list = () => Promise.resolve(listing);
    return new ToolListing({ list, version: () => "", hasNews: () => false, letIn: () => Promise.resolve() }, listing);
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

  /** Nothing has changed since the last turn. */
  get isCurrent(): boolean {
    return !this.#source.hasNews() && this.#source.version() === this.#version;
  }

  /** Called between turns; true when the tools are others now. */
  async refresh(signal: AbortSignal): Promise<boolean> {
    if (this.#source.hasNews()) await this.#source.letIn(signal);
    const version = this.#source.version();
    if (version === this.#version) return false;
    this.#listing = extendListing(await this.#source.list(signal), this.#more);
    this.#version = version;
    return true;
  }
}
