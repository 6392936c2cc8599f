const mostNames = 50_000;

/**
 * Short names for the elements of all pages of one browser. A name is never given twice, so a name
 * from an old outline fails instead of meaning another element.
 */
export class RefNames {
  readonly #byHandle = new Map<string, string>();
  readonly #byName = new Map<string, string>();
  #count = 0;

  /** An outline with every `[ref=…]` replaced by its short name. */
  rename(tree: string): string {
    if (this.#byName.size > mostNames) {
      this.#byHandle.clear();
      this.#byName.clear();
    }
    return tree.replace(/\[ref=(\w+)\]/g, (_, handle: string) => `[ref=${this.#nameOf(handle)}]`);
  }

  handleOf(name: string): string | undefined {
    return this.#byName.get(name);
  }

  #nameOf(handle: string): string {
    const known = this.#byHandle.get(handle);
    if (known !== undefined) return known;
    this.#count += 1;
    const name = `e${this.#count}`;
    this.#byHandle.set(handle, name);
    this.#byName.set(name, handle);
    return name;
  }
}
