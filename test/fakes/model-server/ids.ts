/** Ids that look like the providers' and are the same in every run, so that tests can write them down. */
export class IdSource {
  readonly #taken = new Map<string, number>();

  /** Every prefix counts for itself: `call_...1`, `call_...2`, `msg_...1`. */
  take(prefix: string): string {
    const number = (this.#taken.get(prefix) ?? 0) + 1;
    this.#taken.set(prefix, number);
    return `${prefix}${String(number).padStart(24, "0")}`;
  }
}
