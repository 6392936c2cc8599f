/** Rendered prompt indexes of the last few kinds of session. A gateway serves many at once with different tools. */
export class IndexCache {
  readonly #capacity: number;
  readonly #texts = new Map<string, { readonly fingerprint: string; readonly text: string | undefined }>();

  constructor(capacity = 8) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#texts.size;
  }

  /** The text made for this key from the same files, else what `make` gives. The least recently used goes first. */
  take(key: string, fingerprint: string, make: () => string | undefined): string | undefined {
    const known = this.#texts.get(key);
    this.#texts.delete(key);
    const entry = known?.fingerprint === fingerprint ? known : { fingerprint, text: make() };
    this.#texts.set(key, entry);
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= this.#capacity) break;
      this.#texts.delete(oldest);
    }
    return entry.text;
  }

  clear(): void {
    this.#texts.clear();
  }
}
